#include "emit/step.h"

#include "program/check.h"
#include "schedule/communication.h"

namespace planc::emit {

Step::Step(mlir::ModuleOp module) : bodies_(module), functions_(bodies_.functions()) {
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        if (!ir::is_training(function))
            functions_.push_back(function);
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    for (const program::Role &role : program().roles)
        meshes_.push_back(schedule::mesh_of(role, mesh));
    if (meshes_.empty()) { // nothing that trains
        meshes_.push_back(mesh);
        return;
    }
    std::string wrong = program::fault(program(), ir::mesh_of(mesh));
    if (wrong.empty() && (program().loss < 0 || !bodies_.of(program().loss)))
        wrong = "there is no loss";
    if (wrong.empty())
        wrong = schedule::communication_fault(module, bodies_);
    if (!wrong.empty())
        llvm::report_fatal_error(llvm::Twine("step program: ") + wrong);
    transfers_ = schedule::stage_transfers(module);
    first_transfer_ = static_cast<int>(program().transfers.size());
    for (mlir::func::FuncOp function : functions_)
        first_transfer_ += static_cast<int>(llvm::range_size(function.getOps<ir::StartOp>()));
}

std::vector<mlir::func::FuncOp> Step::functions_for(ir::Purpose purpose) const {
    std::vector<mlir::func::FuncOp> found;
    for (mlir::func::FuncOp function : functions_)
        if (!is_body(function) && ir::purpose_of(function) == purpose)
            found.push_back(function);
    return found;
}

int Step::loss_slot() const {
    int slot = 0;
    const int role = program().values[static_cast<std::size_t>(program().loss)].role;
    for (const program::Action &action : program().actions[static_cast<std::size_t>(role)])
        if (action.kind == program::ActionKind::run &&
            llvm::is_contained(program().bodies[static_cast<std::size_t>(action.index)].gives, program().loss))
            slot = action.slot;
    return slot;
}

std::int64_t Step::runs(mlir::func::FuncOp function) const {
    return is_body(function) ? program().runs(bodies_.of(function)) : 1;
}

int Step::role_of(mlir::func::FuncOp function) const {
    return is_body(function) ? program().bodies[static_cast<std::size_t>(bodies_.of(function))].role
                             : ir::role_of(function);
}

int Step::role_of(ir::VariableOp variable) const {
    return schedule::role_of(variable);
}

std::string function_name(mlir::func::FuncOp function) {
    return function.getName().str() + (function.isPublic() ? "_step" : "");
}

std::string function_name(const std::vector<mlir::func::FuncOp> &by_role) {
    if (by_role.size() == 1)
        return function_name(by_role.front());
    return ir::purpose_of(by_role.front()) == ir::Purpose::evaluation ? "evaluate_step" : "predict_step";
}

bool is_accumulator(ir::VariableOp variable) {
    return variable->hasAttr("accumulator");
}

} // namespace planc::emit
