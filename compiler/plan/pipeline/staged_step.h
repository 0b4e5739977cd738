// The training step as the stages of a pipeline run it, before it is laid out. The lowering does the same to the IR
// (spmd/split_stages.h).
#pragma once

#include "plan/plan.h"
#include "sharding/stages.h"

namespace planc::plan {

struct StagedStep {
    Graph graph; ///< with sums of the stages' own sums, and operations for each replica of the weights
    sharding::StagedGraph staged;
    std::vector<int> reach; ///< pipeline::Schedule::reach
};

/// `replicas`: of the weights.
[[nodiscard]] StagedStep staged_step(const Graph &graph, const sharding::LayerStages &layers, int replicas);

/// Says in the work of a stage's operations that forward pass, backward pass and each level of the update run in bodies
/// of their own, and so do weight gradients if the schedule `splits` the backward passes: what comes from another body
/// is in memory (sharding::Part::Tensor).
void cut_into_bodies(const Graph &stage, PerOperation<sharding::SharedWork> &work, bool splits);

} // namespace planc::plan
