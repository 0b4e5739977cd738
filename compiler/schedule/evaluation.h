// Moves @evaluate and @predict to a separate module. Plans that are only compared by their training step do not need
// them; the chosen plan gets them afterwards.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace planc::schedule {

/// Takes both functions out of a module that is not laid out. Returns none and leaves the module unchanged if there are
/// neither, if they are not the last functions, or if only they use some variable, which the training step would then
/// not place.
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp> take_evaluation(mlir::ModuleOp module);

/// After the training step is laid out: gives the other module its variables, with their placements, and its
/// attributes, so that the other module can be laid out and scheduled.
void share_variables(mlir::ModuleOp training, mlir::ModuleOp evaluation);

/// Puts both functions back. The two scheduled modules become what the whole module would have become.
void add_evaluation(mlir::ModuleOp training, mlir::OwningOpRef<mlir::ModuleOp> evaluation);

} // namespace planc::schedule
