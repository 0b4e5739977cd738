// From the network and its loss to the training step; passes.td says what each pass does.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace planc::autodiff {

#define GEN_PASS_DECL
#include "autodiff/passes.h.inc"

/// Adds all passes, in order: @loss becomes @train, @evaluate and @predict, which consist of loop nests.
void add_passes(mlir::OpPassManager &passes);
/// The same, but each product with a sparse matrix stays as it is written, and runs in every step.
void add_passes_as_written(mlir::OpPassManager &passes);

/// For plan-opt.
void register_passes();

} // namespace planc::autodiff
