// Expands batch normalisation (Ioffe, Szegedy 2015) into operations that have nests.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace planc::autodiff {

/// What is added to a running statistic.
struct StatisticChange {
    ir::ReadOp running;
    mlir::Value change;    ///< of a micro-batch; after accumulate_statistics(), of all of an update
    double kept = 1;       ///< the statistic is multiplied by it for each micro-batch
    std::string parameter; ///< the statistic is placed like the optimizer's state of this one; empty: like its layer
};

/// For training, on a function whose batch has its final extent: normalises by the statistics of the batch, through
/// which gradients flow, and writes the running statistics; or, with `changes`, only says what changes them. Fails,
/// with a message at the operation, if there is only one value: it has no variance.
mlir::LogicalResult apply_batch_norm(mlir::func::FuncOp function, std::vector<StatisticChange> *changes);

/// Adds the changes up over the micro-batches of an update, at the builder's place. That is in the backward pass: the
/// next update's micro-batches may pass forward before this update.
void accumulate_statistics(std::vector<StatisticChange> &changes, mlir::OpBuilder &builder);

/// Writes the running statistics once, after so many micro-batches, at the builder's place.
void advance_statistics(mlir::ArrayRef<StatisticChange> sums, int micro_batches, mlir::OpBuilder &builder);

/// For evaluation and prediction: normalises by the running statistics.
void fix_batch_norm(mlir::func::FuncOp function);

} // namespace planc::autodiff
