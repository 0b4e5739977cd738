// The parts of a scheduled module that the emitted program runs: the step program with its bodies, evaluation and
// prediction.
#pragma once

#include "ir/entry_functions.h"
#include "ir/placement.h"
#include "schedule/stage_transfers.h"
#include "schedule/step_program.h"

#include <string>
#include <vector>

namespace planc::emit {

class Step {
  public:
    /// Fatal, as an internal error, if the step program has a fault (program/check.h) or no loss, or if what ranks send
    /// and call does not match or may hang (schedule/communication.h).
    explicit Step(mlir::ModuleOp module);

    [[nodiscard]] const schedule::Bodies &bodies() const { return bodies_; }
    [[nodiscard]] const program::Program &program() const { return bodies_.program(); }
    /// The functions with code, in the order in which their values are produced: bodies, then evaluation, then
    /// prediction.
    [[nodiscard]] const std::vector<mlir::func::FuncOp> &functions() const { return functions_; }
    [[nodiscard]] bool is_body(mlir::func::FuncOp function) const { return bodies_.of(function) >= 0; }
    /// The number of times that it runs in a training step (1 for evaluation and prediction).
    [[nodiscard]] std::int64_t runs(mlir::func::FuncOp function) const;
    /// The slot in which the loss lies when the step ends.
    [[nodiscard]] int loss_slot() const;

    /// What the functions of evaluation, or of prediction, send each other: one function for each role. Their numbers
    /// among the collectives follow one another, from first_transfer() on.
    [[nodiscard]] const std::vector<schedule::StageTransfer> &transfers() const { return transfers_; }
    [[nodiscard]] int first_transfer() const { return first_transfer_; }
    /// The functions of evaluation or of prediction, by role.
    [[nodiscard]] std::vector<mlir::func::FuncOp> functions_for(ir::Purpose purpose) const;

    /// The index of the role whose ranks run it.
    [[nodiscard]] int role_of(mlir::func::FuncOp function) const;
    [[nodiscard]] int role_of(ir::VariableOp variable) const;
    /// The mesh on which tensors of a role are placed.
    /// All ranks where nothing trains.
    [[nodiscard]] planrt::Role ranks_of(int role) const {
        return program().roles.empty() ? planrt::Role() : program().roles[static_cast<std::size_t>(role)].ranks;
    }
    [[nodiscard]] ir::MeshAttr mesh_of(int role) const { return meshes_[static_cast<std::size_t>(role)]; }

  private:
    schedule::Bodies bodies_;
    std::vector<mlir::func::FuncOp> functions_;
    std::vector<ir::MeshAttr> meshes_;
    std::vector<schedule::StageTransfer> transfers_;
    int first_transfer_ = 0;
};

/// "evaluate_step", "predict_step"; of a body its own name.
[[nodiscard]] std::string function_name(mlir::func::FuncOp function);
/// The function of evaluation, or of prediction, that all ranks call. With several roles it chooses by the role.
[[nodiscard]] std::string function_name(const std::vector<mlir::func::FuncOp> &by_role);

/// Whether the variable is a sum over micro-batches, which is not state of the program.
[[nodiscard]] bool is_accumulator(ir::VariableOp variable);

} // namespace planc::emit
