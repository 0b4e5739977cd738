// Batch normalisation (Ioffe, Szegedy 2015) in operations that have nests.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// As in training, on a function whose batch has the extent that it runs with: by the statistics of what is there,
/// which gradients flow through; the running statistics are written. Failure, with a message at the operation: one
/// value alone has no variance.
mlir::LogicalResult apply_batch_norm(mlir::func::FuncOp function);

/// As in evaluation and prediction: by the running statistics.
void fix_batch_norm(mlir::func::FuncOp function);

} // namespace planc::autodiff
