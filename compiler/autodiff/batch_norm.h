// Expands batch normalisation (Ioffe, Szegedy 2015) into operations that have nests.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// For training, on a function whose batch has its final extent: normalises by the statistics of the batch, through
/// which gradients flow, and writes the running statistics. Fails, with a message at the operation, if there is only
/// one value: it has no variance.
mlir::LogicalResult apply_batch_norm(mlir::func::FuncOp function);

/// For evaluation and prediction: normalises by the running statistics.
void fix_batch_norm(mlir::func::FuncOp function);

} // namespace planc::autodiff
