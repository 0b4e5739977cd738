// Replicas of the weights in a pipeline (Chimera): each has forward and backward passes of its own, for some of the
// micro-batches. What each of them sums up is added up once a step, for the update.
//
// Example: accumulate(g)   becomes   accumulate(g of replica 0) + accumulate(g of replica 1)
#pragma once

#include "sharding/graph.h"

namespace planc::sharding {

/// The graph with operations for each replica (Operation::replica), as the lowering makes them (spmd/replicas.h).
[[nodiscard]] Graph with_replicas(const Graph &graph, int replicas);

} // namespace planc::sharding
