// The step program of a scheduled module. Its bodies are the module's private functions; its tables are the module's
// attribute `plan.program`. outline-bodies writes it; timeline, interpreter and emitter read it.
#pragma once

#include "ir/plan_dialect.h"
#include "program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace planc::schedule {

[[nodiscard]] bool has_step_program(mlir::ModuleOp module);

/// The variables are those of the module; the attribute `rank_role` of each is the number of its role (default 0).
/// Throws std::invalid_argument if the attribute is not a step program.
[[nodiscard]] program::Program step_program(mlir::ModuleOp module);

void set_step_program(mlir::ModuleOp module, const program::Program &program);

/// The role of a variable's ranks.
[[nodiscard]] int role_of(ir::VariableOp variable);
/// The mesh of a role's ranks, with the axes of the whole mesh.
[[nodiscard]] ir::MeshAttr mesh_of(const program::Role &role, ir::MeshAttr whole);

/// Bodies with their functions, cached, because looking up a symbol in a module searches it sequentially.
class Bodies {
  public:
    /// Empty for a module without a step program.
    explicit Bodies(mlir::ModuleOp module);

    [[nodiscard]] const program::Program &program() const { return program_; }
    /// In the order of the program.
    [[nodiscard]] const std::vector<mlir::func::FuncOp> &functions() const { return functions_; }
    /// The index of the function's body; -1 if it is not a body.
    [[nodiscard]] int of(mlir::func::FuncOp function) const;
    /// The value that is an argument or a result of a body; -1 if it is none.
    [[nodiscard]] int taken(mlir::BlockArgument argument) const;
    [[nodiscard]] int given(mlir::OpOperand &returned) const;
    /// The MLIR value of a value of the program, in the body that makes it, or else in the first that takes it.
    [[nodiscard]] mlir::Value of(int value) const { return values_[static_cast<std::size_t>(value)]; }
    /// The arguments of all bodies that take it.
    [[nodiscard]] const std::vector<mlir::BlockArgument> &takers(int value) const {
        return takers_[static_cast<std::size_t>(value)];
    }

  private:
    program::Program program_;
    std::vector<mlir::func::FuncOp> functions_;
    llvm::DenseMap<mlir::Operation *, int> numbers_;
    std::vector<mlir::Value> values_;
    std::vector<std::vector<mlir::BlockArgument>> takers_;
};

} // namespace planc::schedule
