// Expands dropout for training, and removes it elsewhere.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// Replaces every `plan.dropout`: 0 where a random number is less than the rate, else x / (1 − rate). The first
/// dimension of the function's first argument counts the samples.
void apply_dropout(mlir::func::FuncOp function);

/// Replaces every `plan.dropout` by its operand.
void remove_dropout(mlir::func::FuncOp function);

} // namespace planc::autodiff
