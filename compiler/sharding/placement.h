// Small functions on placements and steps, shared by derive(), reshard() and lay_out().
#pragma once

#include "sharding/lay_out.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::sharding {

/// A tensor of these extents, replicated.
[[nodiscard]] Placement replicated(const std::vector<std::int64_t> &extents);

/// The same placement with blocks instead of the ranges that windows touch.
[[nodiscard]] Placement without_windows(Placement placement);

/// Where sums of addends (Window::addends) lie: each rank's rows in blocks, cut further by the axes over which is
/// summed.
[[nodiscard]] Placement summed(Placement addends);

/// In which placement a value that lies as `origin` leaves for another stage of a pipeline: partial sums are summed,
/// each rank keeps a share of the largest dimension that no axis cuts yet, or else of the largest one; shares of
/// storage are gathered. The other stage takes from there what it needs (planrt::exchange()).
[[nodiscard]] Placement sent_placement(Placement origin);

/// Whether `axis` splits a dimension of the placement.
[[nodiscard]] bool cuts(const Placement &placement, int axis);
[[nodiscard]] bool contains(std::span<const int> axes, int axis);
[[nodiscard]] bool is_prefix(std::span<const int> prefix, std::span<const int> list);

/// The number of ranks in one group over `axes`.
[[nodiscard]] std::int64_t group_size(std::span<const int> axes, const Mesh &mesh);

/// A number by which placements are looked up: equal for equal ones.
[[nodiscard]] std::size_t hash(const Placement &placement);

} // namespace planc::sharding
