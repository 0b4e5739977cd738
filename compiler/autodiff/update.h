// The optimizer's update of every variable, as operations.
#pragma once

#include "autodiff/gradients.h"

#include "mlir/IR/BuiltinOps.h"

namespace planc::autodiff {

/// `optimizer`: {kind = "sgd", rate, momentum, weight_decay} or {kind = "adam", rate, beta1, beta2, epsilon,
/// weight_decay}. State is declared beside the variable that it belongs to and starts at zero.
void add_updates(mlir::ModuleOp module, mlir::ArrayRef<ParameterGradient> gradients, mlir::DictionaryAttr optimizer,
                 mlir::OpBuilder &builder);

} // namespace planc::autodiff
