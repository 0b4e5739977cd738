// Groups whose ranks do not fill the units of a machine evenly: their messages are counted one by one.
//
// Example: nodes of 3 ranks, mesh [rows: 2, cols: 2]. Of the groups over cols, {0, 1} lies in the first node, {2, 3} is
// parted; one message leaves each node, not one of each of its ranks.
#pragma once

#include "cost/collectives/group.h"

namespace planc::cost {

/// Ranks in a unit of each level: 1, the ranks of a node, …
[[nodiscard]] std::vector<std::int64_t> unit_sizes(const Machine &machine);

/// Sets the levels of a group over axes of a mesh of these sizes. Each level gets the most messages that leave a unit:
/// in a ring, and in exchanges at distances 1, 2, 4, …. Exchanges go around the group; if its size is a power of two,
/// members exchange in pairs. `ranks`: by place in the mesh, ascending. `of_group`: by place, whether what its messages
/// cross counts as taken; empty: all.
void add_uneven(Group &group, std::span<const int> axes, std::span<const int> sizes, const Machine &machine,
                std::span<const std::int64_t> ranks, const std::vector<bool> &of_group);

} // namespace planc::cost
