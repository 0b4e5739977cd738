// Gradients that are summed over the micro-batches of a step get a place of their own.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace planc::spmd {

/// For every `plan.accumulate` of laid-out functions a variable with the attribute `accumulator`, of the operand's type
/// and layout, often a partial sum: zero at the beginning of each step. @accumulate and @accumulate_rest add to it;
/// @train, which runs last, adds its own part and goes on with the sum.
///
/// Failure, with a message: two functions lay the same gradient differently.
mlir::LogicalResult expand_accumulates(mlir::ModuleOp module);

} // namespace planc::spmd
