// The optimizer: new values of parameters and of its state, as operations like any other.
#pragma once

#include "autodiff/gradients.h"

#include "mlir/IR/BuiltinOps.h"

namespace planc::autodiff {

/// Appends the optimizer's operations (at the builder's insertion point), the reads and writes of its state, and
/// declares that state beside the parameters: `h1.w.momentum`, `h1.w.first_moment`, `h1.w.second_moment`. `optimizer`
/// is `plan.optimizer` of @loss; a variable's `weight_decay`, `rate_factor` and `adapt` overrule it.
///
/// What belongs to one parameter bears its layer and its name (`parameter`); what all share (the rate, bias
/// corrections, the norm of all gradients) has the layer "optimizer".
void add_updates(mlir::ModuleOp module, mlir::ArrayRef<ParameterGradient> gradients, mlir::DictionaryAttr optimizer,
                 mlir::OpBuilder &builder);

} // namespace planc::autodiff
