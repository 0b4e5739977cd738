// The functions of a module that are run, and their purposes.
//
// Public functions are entries: parts of a training step, an evaluation, a prediction. Autodiff makes them; one
// training function is the code of one kind of micro-batch (program/micro_batches.h). After scheduling those of the
// training step are cut into bodies, which are private and belong to the step program (schedule/step_program.h).
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <vector>

namespace planc::ir {

enum class Purpose : std::uint8_t { training, evaluation, prediction };

/// The purpose by the attribute `plan.purpose`: "training", "evaluation" or "prediction". Without the attribute it is
/// training.
[[nodiscard]] Purpose purpose_of(mlir::func::FuncOp function);
[[nodiscard]] inline bool is_training(mlir::func::FuncOp function) {
    return purpose_of(function) == Purpose::training;
}

/// The public functions, by purpose; of one purpose in the order of the module.
[[nodiscard]] std::vector<mlir::func::FuncOp> entry_functions(mlir::ModuleOp module);

/// Whether a training function only accumulates gradients (`plan.accumulates`). Otherwise it ends the step with the
/// update.
[[nodiscard]] bool accumulates(mlir::func::FuncOp function);
/// The number of a training function's kind among those of the module's micro-batches (`plan.kind`;
/// program/micro_batches.h), where a step has several updates; -1: it has one, and samples_of() and accumulates() say
/// the kind.
[[nodiscard]] int kind_number(mlir::func::FuncOp function);
/// Whether a training function is the code of the first micro-batch of an update (`plan.begins`): sums begin with its
/// gradients. Without the attribute, sums are zero when the step begins.
[[nodiscard]] bool begins_sums(mlir::func::FuncOp function);
/// The first training function with an update; null if there is none.
[[nodiscard]] mlir::func::FuncOp updating_function(mlir::ModuleOp module);
/// The first entry function with this purpose; null if there is none.
[[nodiscard]] mlir::func::FuncOp function_for(mlir::ModuleOp module, Purpose purpose);

/// The number of samples that the function takes at once: `plan.samples`, or the first extent of its first argument; 1
/// if it has none.
[[nodiscard]] std::int64_t samples_of(mlir::func::FuncOp function);
/// The sums over all micro-batches of a step, also where it has several updates (plan.accumulate).
inline constexpr const char *sum_of_loss = "loss";
inline constexpr const char *divisor_of_loss = "divisor of the loss";
/// The role of the dimension that counts samples, the first of the first argument; empty if there is none.
[[nodiscard]] mlir::StringRef sample_dimension(mlir::func::FuncOp function);

/// The stage of a pipeline whose part the function is (`plan.stage`; 0 without a pipeline). The stages of each replica
/// of the weights have numbers of their own: pipeline::Schedule::parts().
[[nodiscard]] int stage_of(mlir::func::FuncOp function);
/// The role whose ranks run it (`plan.role`; 0 without a pipeline).
[[nodiscard]] int role_of(mlir::func::FuncOp function);
/// Notes how often a stage of a pipeline has waited for others since the backward pass, before an operation of the
/// update (attribute `level`; 0 without it).
void set_level(mlir::Operation *op, int level);
/// The number of the value that another stage sends for an argument (`plan.received`); -1: the argument is a data
/// field. Numbers are those of one kind of function: of a training function for some micro-batches, of evaluation, …
[[nodiscard]] int received_by(mlir::BlockArgument argument);
/// The numbers of the values that the function's last results are, which other stages get (`plan.sends`).
[[nodiscard]] std::vector<int> sent_by(mlir::func::FuncOp function);
/// The number of results that are the function's own: of training the loss, if this stage has it.
[[nodiscard]] unsigned own_results(mlir::func::FuncOp function);
/// How many of these every rank gets whole: none of a prediction, whose parts the runtime fetches where they lie.
[[nodiscard]] unsigned whole_results(mlir::func::FuncOp function);

/// The number of micro-batches of a step (`plan.microbatches` of the module), and the number of samples of all of them
/// (`plan.batch`; if there is one micro-batch, its own samples).
[[nodiscard]] std::int64_t micro_batch_count(mlir::ModuleOp module);
[[nodiscard]] std::int64_t batch_of(mlir::ModuleOp module);
/// How many of them are in flight at the same time (`plan.slots` of the module, or of a function of one stage; one
/// without it). Each has its own buffers for values that outlive a body.
[[nodiscard]] int slots_of(mlir::ModuleOp module);
[[nodiscard]] int slots_of(mlir::func::FuncOp function);
void set_slots(mlir::ModuleOp module, int slots);

} // namespace planc::ir
