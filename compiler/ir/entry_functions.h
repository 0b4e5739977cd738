// Which functions of a module are run, and for what.
//
// Public functions are entries: parts of a training step, an evaluation, a prediction. Autodiff makes them; one
// training function is the code of one kind of micro-batch (program/micro_batches.h). After scheduling those of the
// training step are cut into bodies, which are private and stand in the step program (schedule/step_program.h).
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <vector>

namespace planc::ir {

enum class Purpose : std::uint8_t { training, evaluation, prediction };

/// By the attribute `plan.purpose`, "training", "evaluation" or "prediction"; without it: training.
[[nodiscard]] Purpose purpose_of(mlir::func::FuncOp function);
[[nodiscard]] inline bool is_training(mlir::func::FuncOp function) {
    return purpose_of(function) == Purpose::training;
}

/// The public functions, by purpose; of one purpose in the order of the module.
[[nodiscard]] std::vector<mlir::func::FuncOp> entry_functions(mlir::ModuleOp module);

/// Does a training function only add up gradients (`plan.accumulates`)? Else it ends the step with the update.
[[nodiscard]] bool accumulates(mlir::func::FuncOp function);
/// The training function that updates; null: there is none.
[[nodiscard]] mlir::func::FuncOp updating_function(mlir::ModuleOp module);
/// The entry function with this purpose, the first; null: there is none.
[[nodiscard]] mlir::func::FuncOp function_for(mlir::ModuleOp module, Purpose purpose);

/// Samples that it takes at once: the first extent of its first argument; 1 where it has none.
[[nodiscard]] std::int64_t samples_of(mlir::func::FuncOp function);

/// How many micro-batches a step has (`plan.microbatches` of the module), and the samples of all of them (`plan.batch`;
/// of one micro-batch its own).
[[nodiscard]] std::int64_t micro_batch_count(mlir::ModuleOp module);
[[nodiscard]] std::int64_t batch_of(mlir::ModuleOp module);

} // namespace planc::ir
