// @evaluate and @predict in a module of their own: plans that are only compared by their training step do without them,
// and whichever is chosen gets them afterwards.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace planc::schedule {

/// Takes the two out of a module that is not laid out. None, and the module stays as it is: there are neither, they are
/// not the last of its functions, or a variable is used by them alone, which the training step then would not place.
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp> take_evaluation(mlir::ModuleOp module);

/// Once the training step is laid out: gives the other module its variables, which lie there as they do here, and its
/// attributes. Then this can be laid out and scheduled.
void share_variables(mlir::ModuleOp training, mlir::ModuleOp evaluation);

/// Puts both back: the modules, both scheduled, become what the whole would have become.
void add_evaluation(mlir::ModuleOp training, mlir::OwningOpRef<mlir::ModuleOp> evaluation);

} // namespace planc::schedule
