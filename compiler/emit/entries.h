// The functions that the runtime calls: one per kind of micro-batch, evaluation, prediction.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::emit {

/// One action of the training step.
struct MicroBatchAction {
    mlir::func::FuncOp function; ///< @accumulate_rest, @accumulate or @train
    std::string entry;           ///< what it is called in the program
    std::int64_t first = 0;      ///< sample of the global batch
    std::int64_t samples = 0;    ///< global
};
/// In the order in which they run: by their first samples; with accumulators the first is `first_step`, which clears
/// them. Functions of the training step say these in `plan.firsts`;
/// without it a function runs once, from sample 0.
[[nodiscard]] std::vector<MicroBatchAction> micro_batches(mlir::ModuleOp module);

/// Sums over micro-batches: no state of the program.
[[nodiscard]] bool is_accumulator(ir::VariableOp variable);
[[nodiscard]] bool has_accumulators(mlir::ModuleOp module);

/// "train_step", "accumulate_step", "evaluate_step", "predict_step".
[[nodiscard]] std::string entry_name(mlir::func::FuncOp function);

/// The calls of stage functions, found once: symbols are looked up one after the other in a module.
class StageCalls {
  public:
    explicit StageCalls(mlir::ModuleOp module);
    /// The first call of a stage function; null for entry functions.
    [[nodiscard]] mlir::func::CallOp of(mlir::func::FuncOp function) const { return calls_.lookup(function); }
    [[nodiscard]] mlir::func::FuncOp callee(mlir::func::CallOp call) const { return callees_.lookup(call); }
    /// The entry function whose part a stage function is; or the function itself.
    [[nodiscard]] mlir::func::FuncOp entry_of(mlir::func::FuncOp function) const;
    /// How often it runs in a training step (1 for evaluation and prediction).
    [[nodiscard]] std::int64_t runs_a_step(mlir::func::FuncOp function) const;

  private:
    llvm::DenseMap<mlir::Operation *, mlir::func::CallOp> calls_;
    llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> callees_;
};

/// The functions with code, in the order in which their values come to be: stage functions, then @evaluate, @predict.
[[nodiscard]] std::vector<mlir::func::FuncOp> running_functions(mlir::ModuleOp module);

} // namespace planc::emit
