// Recomputation within the stages of a pipeline: what sharding/stage_recomputation.h says, done to the IR.
#pragma once

#include "spmd/stage_sums.h"

namespace planc::spmd {

/// Rewrites a training function, before it is cut.
void recompute_within_stages(mlir::func::FuncOp function, const LayerStagesOf &layers_of);

} // namespace planc::spmd
