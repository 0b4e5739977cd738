// The optimizer as the attribute `plan.optimizer` of @loss, which carries it from the program to the update
// (autodiff/update).
//
//   {kind = "adam", rate = {shape = "cosine", peak = 1.0e-03, floor = 0.0, steps = 1000}, warmup = 100,
//    weight_decay = 0.1, decoupled, beta1 = …, beta2 = …, epsilon = …, clip_norm = 1.0}
//
// A constant `rate` is a number. Settings that an optimizer does not have are absent, as are clipping and warm-up where
// there are none.
#pragma once

#include "sema/program.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace planc::ir {

[[nodiscard]] mlir::DictionaryAttr optimizer_attribute(const sema::Optimizer &optimizer, mlir::Builder &builder);

/// The inverse, without parameter groups, which are attributes of the variables. Missing entries get their defaults.
[[nodiscard]] sema::Optimizer optimizer_of(mlir::DictionaryAttr attribute);

} // namespace planc::ir
