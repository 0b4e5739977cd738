// Evaluation from a forward pass: the loss and the number of correct predictions, summed over the valid samples.
#pragma once

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// Turns a copy of @loss into @evaluate. Adds the argument `valid` ([batch]: 1 for a sample, 0 for padding; marked
/// `plan.valid`). It then returns up to two sums over the valid samples. One is the loss, if that is a sum over samples
/// and of terms that depend on none. The other counts the samples whose argmax (the first of equal maxima) is the
/// label. A sample with several labels counts by the share that is correct. Returns false if there is nothing to
/// evaluate.
bool make_evaluation(mlir::func::FuncOp function, std::optional<unsigned> label, mlir::StringRef class_role);

} // namespace planc::autodiff
