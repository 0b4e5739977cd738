// Sums whose terms lie on several stages of a pipeline: the gradient of a parameter that several stages use, and the
// norm of all gradients. Each stage first adds up its own terms; once a step, the stages exchange these sums.
//
// Example: a table is used by stages 0 and 1, with gradients g0 and g1 in each micro-batch
//   accumulate(g0 + g1)   becomes   accumulate(g0) + accumulate(g1)
// The last sum is a part of the update. Both stages compute it alike, so their tables stay bitwise equal.
#pragma once

#include "sharding/stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace planc::spmd {

/// `layers_of` gives the stages of the layers of a graph.
using LayerStagesOf = std::function<sharding::LayerStages(const sharding::Graph &)>;

/// Rewrites a training function, before it is cut.
void regroup_sums(mlir::func::FuncOp function, const LayerStagesOf &layers_of);

} // namespace planc::spmd
