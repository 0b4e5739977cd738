// The kinds of micro-batches whose code the training functions are.
#pragma once

#include "program/micro_batches.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace planc::schedule {

/// Those of a step of the module.
[[nodiscard]] std::vector<program::MicroBatch> micro_batches_of(mlir::ModuleOp module);

/// The kind of a training function.
[[nodiscard]] program::MicroBatchKind kind_of(mlir::func::FuncOp function);

} // namespace planc::schedule
