// Recomputation within the stages of a pipeline. A group of layers whose activations are computed again may lie on
// several stages. Each of them then computes again what it has computed itself, from what it has received in the
// forward pass.
//
// Example: the group b has b.grow on stage 0 and b.shrink on stage 1
//   recompute b.shrink from b.grow, recomputed   becomes   recompute b.shrink from b.grow of the forward pass.
// Otherwise stage 1 would wait for the backward pass of stage 0, which waits for that of stage 1.
#pragma once

#include "spmd/stage_sums.h"

namespace planc::spmd {

/// Rewrites a training function, before it is cut.
void recompute_within_stages(mlir::func::FuncOp function, const LayerStagesOf &layers_of);

} // namespace planc::spmd
