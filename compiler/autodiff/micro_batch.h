// Micro-batches: the loss of a part of the batch, such that the gradients of the parts add up to that of the whole.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace planc::autodiff {

/// Restricts a loss (composites decomposed, no gradients yet) to a part of `samples` samples of its batch, the first
/// dimension of its first argument. Means keep the factor of the whole batch, so the losses of the parts add up to its
/// loss; of terms of parameters alone, a part has this share.
///
/// Fails, with a message at the operation, if the loss is not a sum over samples (an operation other than a sum
/// combines several samples, or uses such a value nonlinearly), or if the batch is renamed or reshaped.
mlir::LogicalResult restrict_to_micro_batch(mlir::func::FuncOp loss, std::int64_t samples, double share);

/// Makes an evaluation or a prediction work on `samples` samples at a time. Returns false and changes nothing if what
/// it computes for a sample depends on other samples.
bool shorten_batch(mlir::func::FuncOp function, std::int64_t samples);

} // namespace planc::autodiff
