// Runs functions of the dialect on all ranks of one role at the same time, operation by operation. See interpret.h for
// what is checked; step.cpp runs a step program with one of these for each role.
#pragma once

#include "interpret/interpret.h"
#include "interpret/layouts.h"
#include "interpret/local.h"
#include "interpret/places.h"
#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace planc::interpret {

using Parts = std::vector<Local>; ///< per rank

class Interpreter {
  public:
    /// `mesh`: that of the role's ranks; `role`: its variables are used; `slots`: those of the role's arena.
    Interpreter(mlir::ModuleOp module, ir::MeshAttr mesh, int role, const Slots &slots, const Inputs &inputs)
        : inputs_(inputs), layouts_(mesh), mesh_(layouts_.mesh()), places_(module, role, slots, layouts_) {
        for (auto variable : module.getOps<ir::VariableOp>())
            variables_[variable.getSymNameAttr()] = variable;
    }

    /// Runs a function by itself: its arguments are the fields of the inputs; those that another stage sends have
    /// values.
    Outcome run(mlir::func::FuncOp function);

    // These functions run a step body by body, each on values that are already present.
    /// The micro-batch's part of the fields, and where it begins in the batch.
    void set_fields(std::map<std::string, Array> fields) { inputs_.fields = std::move(fields); }
    void set_step(std::int64_t step) { inputs_.step = step; }
    void set_first_sample(std::int64_t sample) { inputs_.first_sample = sample; }
    /// Fills an argument from its field.
    void load(mlir::BlockArgument argument);
    /// Runs a body whose arguments have values. Its variables are written when it ends.
    void visit_body(mlir::func::FuncOp function);
    [[nodiscard]] const Parts &value(mlir::Value value) const { return values_.find(value)->second; }
    void set_value(mlir::Value value, Parts parts) { values_[value] = std::move(parts); }
    [[nodiscard]] Array whole(mlir::Value value) { return gather(values_.find(value)->second, ir::type_of(value)); }
    [[nodiscard]] Layouts &layouts() { return layouts_; }
    [[nodiscard]] Places &places() { return places_; }
    [[nodiscard]] const Inputs &inputs() const { return inputs_; }
    [[nodiscard]] std::vector<CollectiveRecord> take_records() { return std::move(outcome_.collectives); }

  private:
    const planrt::Placement &placement(mlir::Value value) { return layouts_.of(ir::type_of(value)).placement; }
    Parts scatter(const Array &whole, ir::TensorType type, const std::string &what);
    Array gather(const Parts &parts, ir::TensorType type);
    void check_replicas(const Parts &parts, ir::TensorType type);

    void visit_all(mlir::Block &block);
    void visit(mlir::Operation &op);
    void nest(mlir::Operation &op);
    Parts communicate(llvm::StringRef kind, mlir::ArrayAttr axes, mlir::Value from, mlir::Value to,
                      std::vector<planrt::Traffic> &traffic);
    void collective(ir::CollectiveOp op);
    void start(ir::StartOp op);
    void pass_on(mlir::Value from, mlir::Value to);
    void view(ir::ViewOp op);
    void loops(ir::LoopsOp op);
    void read(ir::ReadOp op);
    void write(ir::WriteOp op);
    Parts sum_so_far(const std::string &name, ir::TensorType home);

    Inputs inputs_;
    Layouts layouts_;
    const planrt::Mesh &mesh_;
    Places places_;
    llvm::DenseMap<mlir::StringAttr, ir::VariableOp> variables_;
    llvm::DenseMap<mlir::Value, Parts> values_;
    std::map<std::string, Array> written_;
    Accumulators accumulated_;
    Outcome outcome_;
};

} // namespace planc::interpret
