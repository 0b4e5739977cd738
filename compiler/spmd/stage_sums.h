// Sums whose terms lie on several stages of a pipeline: what sharding/stage_sums.h says, done to the IR.
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
