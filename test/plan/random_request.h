// Random questions to the planner: small networks with branches, meshes open or given, flat and hierarchical machines.
#pragma once

#include "plan/plan.h"
#include "sharding/random_graph.h"

namespace planc::plan::reference {

/// A flat machine on which both compute and communication matter.
[[nodiscard]] Machine machine();
/// Nodes of a few ranks, whose link is slower and shared; algorithms by size.
[[nodiscard]] Machine cluster(std::int64_t ranks_per_node);
/// Gives it rates of loops, and a cache into which some of what the small networks move fits.
void measure_loops(Machine &machine, sharding::reference::Random &random);
/// Either, sometimes slow, or of long latency, or measured.
[[nodiscard]] Machine random_machine(sharding::reference::Random &random);

/// A mesh [rows, cols] of open sizes.
[[nodiscard]] Request request(Graph graph, int ranks);
/// On 2 to 8 ranks, without rules.
[[nodiscard]] Request random_request(sharding::reference::Random &random);
/// A perceptron of a few layers in a pipeline of any depth; gradients are summed over micro-batches.
[[nodiscard]] Request random_pipelines(sharding::reference::Random &random);
/// The same step with its whole batch at once.
[[nodiscard]] Request undivided(const Request &request);

} // namespace planc::plan::reference
