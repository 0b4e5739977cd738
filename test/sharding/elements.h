// Indices and boxes element by element, and how elements combine: for the reference executor only.
#pragma once

#include "sharding/reference.h"

#include <functional>

namespace planc::sharding::reference {

using planrt::Box;
using planrt::local_box;
using planrt::Range;
using planrt::volume;
using Index = std::vector<std::int64_t>;

[[nodiscard]] Box whole_box(const Placement &placement);
/// Of the element at a global index in a dense, row-major block that covers `box`.
[[nodiscard]] std::size_t offset(const Box &box, const Index &index);
[[nodiscard]] bool inside(const Box &box, const Index &index);
/// Calls `body` with every index of the box, in row-major order.
void for_each(const Box &box, const std::function<void(const Index &)> &body);
/// The same with every index that the rank holds.
void for_each_held(const Placement &placement, const Mesh &mesh, int rank,
                   const std::function<void(const Index &)> &body);
/// Where in the rank's part the element of a global index is; -1: the rank does not hold it.
[[nodiscard]] std::int64_t position_of(const Placement &placement, const Mesh &mesh, int rank, const Index &index);

[[nodiscard]] Element combine(Reduction reduction, Element a, Element b);
[[nodiscard]] Element identity(Reduction reduction);

} // namespace planc::sharding::reference
