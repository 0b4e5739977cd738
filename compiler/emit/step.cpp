#include "emit/step.h"

namespace planc::emit {

Step::Step(mlir::ModuleOp module) : bodies_(module), functions_(bodies_.functions()) {
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        if (!ir::is_training(function))
            functions_.push_back(function);
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    for (const program::Role &role : program().roles)
        meshes_.push_back(schedule::mesh_of(role, mesh));
    if (meshes_.empty()) // nothing that trains
        meshes_.push_back(mesh);
}

std::int64_t Step::runs(mlir::func::FuncOp function) const {
    return is_body(function) ? program().runs(bodies_.of(function)) : 1;
}

int Step::role_of(mlir::func::FuncOp function) const {
    return is_body(function) ? program().bodies[static_cast<std::size_t>(bodies_.of(function))].role : 0;
}

int Step::role_of(ir::VariableOp variable) const {
    return schedule::role_of(variable);
}

std::string function_name(mlir::func::FuncOp function) {
    return function.getName().str() + (function.isPublic() ? "_step" : "");
}

bool is_accumulator(ir::VariableOp variable) {
    return variable->hasAttr("accumulator");
}

} // namespace planc::emit
