// The mask of valid samples: an argument [batch] of evaluation, and of a training step on a graph, whose batch has all
// vertices and not only those to train on.
#pragma once

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// Adds the argument `valid` (`plan.valid`), with the first dimension of the first argument, which exists.
mlir::Value add_valid(mlir::func::FuncOp function, mlir::Type element);

/// Multiplies the losses of samples, of which the loss takes means, by the argument `valid`. In training its elements
/// are N / n for the n of N samples that count, and 0 for the others; so the mean is that over the n, whichever ranks
/// hold them, and no rank needs to know n. Fails, with a message at the operation, if the loss takes something else
/// than means over samples.
mlir::LogicalResult weigh_samples(mlir::func::FuncOp function);

} // namespace planc::autodiff
