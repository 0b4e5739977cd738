// The optimizer: the new values of parameters and of its state, as ordinary operations.
#pragma once

#include "autodiff/gradients.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace planc::autodiff {

/// The variables of the optimizer's state, by "h1.w.momentum".
using OptimizerState = std::map<std::string, mlir::FlatSymbolRefAttr>;

/// Appends the optimizer's operations (at the builder's insertion point), the reads and writes of its state, and
/// declares that state beside the parameters: `h1.w.momentum`, `h1.w.first_moment`, `h1.w.second_moment`. `optimizer`
/// is `plan.optimizer` of @loss; a variable's `weight_decay`, `rate_factor` and `adapt` override it. What is in
/// `declared` is there already; the rest is added to it.
///
/// Operations for one parameter have its layer and its name (`parameter`); shared ones (the rate, bias corrections, the
/// global norm) have the layer "optimizer".
void add_updates(mlir::ModuleOp module, mlir::ArrayRef<ParameterGradient> gradients, mlir::DictionaryAttr optimizer,
                 OptimizerState &declared, mlir::OpBuilder &builder);

} // namespace planc::autodiff
