// Expands batch normalisation (Ioffe, Szegedy 2015) into operations that have nests.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace planc::autodiff {

/// What the micro-batches of an update have added up for a running statistic.
struct SummedStatistic {
    ir::ReadOp running;
    mlir::Value sum;       ///< over all of them, by ir::AccumulateOp
    double momentum = 0;   ///< the running statistic is multiplied by 1 − momentum for each of them
    std::string parameter; ///< it is placed like the optimizer's state of this one
};

/// For training, on a function whose batch has its final extent: normalises by the statistics of the batch, through
/// which gradients flow, and writes the running statistics; or, with `sums`, adds up over the micro-batches what these
/// change. Fails, with a message at the operation, if there is only one value: it has no variance.
mlir::LogicalResult apply_batch_norm(mlir::func::FuncOp function, std::vector<SummedStatistic> *sums);

/// Writes the running statistics once, after so many micro-batches, at the builder's place.
void advance_statistics(mlir::ArrayRef<SummedStatistic> sums, int micro_batches, mlir::OpBuilder &builder);

/// For evaluation and prediction: normalises by the running statistics.
void fix_batch_norm(mlir::func::FuncOp function);

} // namespace planc::autodiff
