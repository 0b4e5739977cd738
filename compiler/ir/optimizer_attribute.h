// The optimizer as the attribute `plan.optimizer` of @loss: from the program to the update (autodiff/update).
//
//   {kind = "adam", rate = {shape = "cosine", peak = 1.0e-03, floor = 0.0, steps = 1000}, warmup = 100, weight_decay =
//   0.1,
//    decoupled, beta1 = …, beta2 = …, epsilon = …, clip_norm = 1.0}
//
// `rate` is a number where it is constant. What an optimizer does not have is absent, and so are clipping and warm-up
// where there are none.
#pragma once

#include "sema/program.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace planc::ir {

[[nodiscard]] mlir::DictionaryAttr optimizer_attribute(const sema::Optimizer &optimizer, mlir::Builder &builder);

/// The inverse, without groups: those are attributes of the variables. Missing entries have their default.
[[nodiscard]] sema::Optimizer optimizer_of(mlir::DictionaryAttr attribute);

} // namespace planc::ir
