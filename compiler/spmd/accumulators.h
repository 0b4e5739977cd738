// Variables for gradients that are accumulated over the micro-batches of a step.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace planc::spmd {

/// Creates, for every `plan.accumulate` of laid-out functions, a variable with the attribute `accumulator`, of the
/// operand's type and layout (often a partial sum), which is zero at the beginning of each step. @accumulate and
/// @accumulate_rest add to it; @train, which runs last, adds its own part and uses the sum. Where a step has several
/// updates, the first micro-batch of each begins the sums of gradients anew.
///
/// Fails, with a message, if two functions lay out the same gradient differently.
mlir::LogicalResult expand_accumulates(mlir::ModuleOp module);

} // namespace planc::spmd
