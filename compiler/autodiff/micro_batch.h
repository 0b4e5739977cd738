// Micro-batches: the loss of a part of the batch, so that gradients of the parts add up to those of the whole.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace planc::autodiff {

/// Restricts a loss (composites decomposed, no gradients yet) to a part of `samples` samples of its batch, the first
/// dimension of its first argument. Means keep the factor of the whole batch, so the losses of the parts add up to its
/// loss; terms of parameters alone are divided by `count`.
///
/// Failure, with a message at the operation: the loss is no sum over samples (something else than a sum makes one
/// value of several samples, or uses such a value other than linearly), or the batch is renamed or reshaped.
mlir::LogicalResult restrict_to_micro_batch(mlir::func::FuncOp loss, std::int64_t samples, std::int64_t count);

/// Makes an evaluation or a prediction work on `samples` samples at once. False, and nothing is changed: what it
/// computes of a sample depends on the others.
bool shorten_batch(mlir::func::FuncOp function, std::int64_t samples);

} // namespace planc::autodiff
