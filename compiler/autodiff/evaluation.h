// What evaluation computes from a forward pass: the loss and the right predictions, summed over the valid samples.
#pragma once

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

/// Turns a copy of @loss into @evaluate: adds the argument `valid` ([batch]: 1 for a sample, 0 for padding; marked
/// `plan.valid`) and returns, as far as there are any, the sum of the samples' losses (where the loss is a mean over
/// samples: cross-entropy or mean-square error) and the number of samples whose largest prediction is the label's
/// (the first one of equals). A sample with several labels counts by the share that is right.
/// False: there is nothing to evaluate.
bool make_evaluation(mlir::func::FuncOp function, std::optional<unsigned> label, mlir::StringRef class_role);

} // namespace planc::autodiff
