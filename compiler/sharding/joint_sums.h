// Joint sums: small sums that one layer computes in the same loops, before any of them is used, share one all-reduce.
//
// Example: in the backward pass of a batch normalisation whose batch is split, sum dy and sum dy (x - mean), both
// [channel]. Which values belong together depends on the graph alone: under every strategy they are partial along the
// same axes. One rule serves the cost model, which prices the latency once, the planner, and the schedule, which emits
// the call.
#pragma once

#include "sharding/bucket.h"

#include <cstdint>
#include <vector>

namespace planc::sharding {

/// A larger value has its own call, which starts as soon as the value is complete.
inline constexpr std::int64_t largest_joint_bytes = 64 * 1024;

/// Per value: the first value with which it shares a call, or none. Values share a call if operations of one layer
/// compute them in the same reduced loops, all before one of them is used.
[[nodiscard]] PerValue<ValueId> companions(const Graph &graph);

/// Whether this copy may share a call with its companions: an all-reduce by sum that is not for an update.
[[nodiscard]] bool joins(const Graph &graph, const Mesh &mesh, ValueId value, const Copy &copy);

/// The calls with two or more members, in order of production. The members of a call have the same axes; the first one
/// pays for the call.
[[nodiscard]] std::vector<Bucket> joint_sums(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh);
/// The same, given companions(graph).
[[nodiscard]] std::vector<Bucket> joint_sums(const Graph &graph, PerValue<ValueId> companions, const LaidOut &laid_out,
                                             const Mesh &mesh);

} // namespace planc::sharding
