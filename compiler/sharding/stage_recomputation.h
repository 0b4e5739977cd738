// Recomputation within the stages of a pipeline. A group of layers whose activations are computed again may lie on
// several stages. Each of them then computes again what it has computed itself, from what it has received in the
// forward pass.
//
// Example: the group b has b.grow on stage 0 and b.shrink on stage 1
//   recompute b.shrink from b.grow, recomputed   becomes   recompute b.shrink from b.grow of the forward pass.
// Otherwise stage 1 would wait for the backward pass of stage 0, which waits for that of stage 1.
//
// One answer serves the price, which changes the graph, and the lowering, which changes the IR.
#pragma once

#include "sharding/stages.h"

#include <vector>

namespace planc::sharding {

/// An operation takes the value of the forward pass in place of the recomputed one.
struct TakenFromForward {
    OperationId operation;
    std::size_t operand = 0;
    ValueId value;
};

[[nodiscard]] std::vector<TakenFromForward> taken_from_forward(const Graph &graph, const LayerStages &layers);

/// The graph in which they are taken, without recomputed operations that nothing needs then.
[[nodiscard]] Graph with_taken(const Graph &graph, const std::vector<TakenFromForward> &taken);

/// The graph with what every pipeline computes again, wherever it is cut: each layer only what it needs itself.
[[nodiscard]] Graph with_least_recomputation(const Graph &graph);

} // namespace planc::sharding
