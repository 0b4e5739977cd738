// Evaluation from a forward pass: the loss and the number of correct predictions, summed over the valid samples.
#pragma once

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace planc::autodiff {

/// Turns a copy of @loss into @evaluate. Adds the argument `valid` ([batch]: 1 for a sample, 0 for padding; marked
/// `plan.valid`). It then returns sums over the valid samples, whose names are the function's `plan.results`. One is
/// the "loss", if that is a sum over samples and of terms that depend on none, or the numerator of a ratio of two such
/// sums; the other one is then the "loss_divisor". "correct" counts the samples whose argmax (the first of equal
/// maxima) is the label; one with several labels counts by the share that is correct. Where a label is ignored,
/// "labels" counts those that are not. Returns false if there is nothing to evaluate.
bool make_evaluation(mlir::func::FuncOp function, std::optional<unsigned> label, mlir::StringRef class_role,
                     std::optional<std::int64_t> ignored);

} // namespace planc::autodiff
