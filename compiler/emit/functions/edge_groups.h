// Steps of a plan.edge_reduce within one of its loops, in groups that the compiler can vectorize.
#pragma once

#include "ir/edge_steps.h"

#include <set>
#include <string>
#include <vector>

namespace planc::emit {

/// A loop of its own: over pointwise steps, or over one sum.
struct EdgeGroup {
    std::vector<int> steps; ///< in the order in which they are computed
    bool sums = false;
};

/// The `wanted` steps, in as few groups as the sums among them allow: a sum's loop inside would keep the compiler from
/// using vectors for the others. `loops`: of each step.
[[nodiscard]] std::vector<EdgeGroup> groups_of_steps(const std::vector<ir::EdgeStep> &steps,
                                                     const std::set<int> &wanted);

/// Those that are used outside their own group, by another one or by what follows the groups.
[[nodiscard]] std::set<int> steps_to_keep(const std::vector<ir::EdgeStep> &steps, const std::vector<EdgeGroup> &groups);

} // namespace planc::emit
