// Joint sums: small sums that one layer makes in the same loops, before any of them is used, travel in one all-reduce.
//
// Example: backwards through a batch normalisation whose batch is split, sum dy and sum dy (x - mean), both [channel].
// Which values belong together is a matter of the graph alone: under every strategy they are partial along the same
// axes. One rule for the cost model, which prices the messages once, the planner, and the schedule, which emits the
// call.
#pragma once

#include "sharding/bucket.h"

#include <cstdint>
#include <vector>

namespace planc::sharding {

/// What is larger travels alone, as soon as it is there.
inline constexpr std::int64_t largest_joint_bytes = 64 * 1024;

/// Per value the first of those that it is summed with; -1 for none. Values are summed together that operations of one
/// layer make in the same reduced loops, all before one of them is used.
[[nodiscard]] std::vector<int> companions(const Graph &graph);

/// May this copy travel with those of its companions? An all-reduce by sum, for another operation than an update.
[[nodiscard]] bool joins(const Graph &graph, const Mesh &mesh, int value, const Copy &copy);

/// The calls with two or more members, which have the same axes, in the order in which they are produced. The first
/// pays for the call.
[[nodiscard]] std::vector<Bucket> joint_sums(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh);

} // namespace planc::sharding
