// Sums whose terms lie on several stages of a pipeline: the gradient of a parameter that several stages use, and the
// norm of all gradients. Each stage first adds up its own terms; once a step, the stages exchange these sums.
//
// Example: a table is used by stages 0 and 1, with gradients g0 and g1 in each micro-batch
//   accumulate(g0 + g1)   becomes   accumulate(g0) + accumulate(g1)
// The last sum is a part of the update. Both stages compute it alike, so their tables stay bitwise equal.
//
// One answer serves the price, which changes the graph, and the lowering, which changes the IR (spmd/stage_sums.h).
#pragma once

#include "sharding/stages.h"

#include <utility>
#include <vector>

namespace planc::sharding {

/// A sum that is made anew from those of the stages.
struct StageSum {
    struct Part {
        int stage = 0; ///< -1: of no stage alone
        std::vector<ValueId> terms;
        ValueId parameter; ///< that the sum of a norm's terms follows, or none
    };
    ValueId whole;
    OperationId accumulates; ///< adds the whole up over the micro-batches; none: there is one
    ValueId parameter;       ///< whose gradient it is; none: a norm
    std::vector<Part> parts; ///< two or more, by stage
    /// Operations of the update that follow a parameter from now on: what is made of one parameter's norm.
    std::vector<std::pair<OperationId, ValueId>> following;
};

[[nodiscard]] std::vector<StageSum> stage_sums(const Graph &graph, const LayerStages &layers);

/// The graph with these sums.
[[nodiscard]] Graph with_stage_sums(const Graph &graph, const std::vector<StageSum> &sums);

/// Whether an operation adds up what micro-batches change of running statistics, which they compute in the forward
/// pass. Other sums are of gradients and of the loss.
[[nodiscard]] bool sums_statistics(const Graph &graph, const Operation &operation);

} // namespace planc::sharding
