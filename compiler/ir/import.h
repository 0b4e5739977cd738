// Imports the checked program into the plan dialect, operation by operation.
//
// Variables become symbols named after the parameters' paths. Every operation has its layer, its phase and its place in
// the .plan file. A path that is also the name of a function gets a prefix: "<network>.<path>".
#pragma once

#include "ir/plan_dialect.h"

#include "sema/program.h"
#include "support/source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace planc::ir {

/// What is to be trained, as the function `@loss(inputs) -> (loss, prediction)` with the attributes
///   plan.purpose = "loss", plan.label = index of the argument with the labels (absent: no accuracy),
///   plan.class = role of the dimension with the classes, plan.optimizer = {kind = "sgd", rate = 0.1, …}.
/// Arguments have `plan.input`, the name of the data field.
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp> import_program(const sema::Program &program, const sema::Train &train,
                                                               const support::SourceFiles &files,
                                                               mlir::MLIRContext &context);

/// The networks alone, each a function of its name with plan.purpose = "network".
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp>
import_networks(const sema::Program &program, const support::SourceFiles &files, mlir::MLIRContext &context);

} // namespace planc::ir
