// Replicas of the weights: with some schedules (Chimera), micro-batches of one step take different ways through the
// ranks, and each way has weights of its own. Functions get the code of all replicas, which is then cut into stages
// like any other; a micro-batch runs the stages of one replica.
//
// Example: two replicas
//   @train(x) { g = gradient(x, w); s = accumulate(g); update w with s }
// becomes
//   @train(x, x of replica 1) { g = …; s = accumulate(g); g' = …; s' = accumulate(g'); update w with s + s' }
// where the gradient g' is of replica 1. Each replica makes the sum s + s' and the update alike, so their weights stay
// bitwise equal.
#pragma once

#include "pipeline/schedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace planc::spmd {

/// Rewrites the training functions, before they are cut: operations get the attribute `replica`, functions
/// `plan.replica_samples` (by replica, the samples of a micro-batch). Nothing changes if there is one replica. Error,
/// at the operation: it writes a variable in each micro-batch, in which replicas would differ; or its sum weighs
/// micro-batches by their order, as running statistics do, and replicas do not take turns.
[[nodiscard]] mlir::LogicalResult replicate(mlir::ModuleOp module, const pipeline::Schedule &schedule);

} // namespace planc::spmd
