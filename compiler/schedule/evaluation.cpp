#include "schedule/evaluation.h"

#include "ir/plan_dialect.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/step_program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace planc::schedule {

namespace {

using mlir::func::FuncOp;

/// Evaluation and prediction if they are the last functions of the module; empty if others follow one of them.
std::vector<FuncOp> last_functions(mlir::ModuleOp module) {
    std::vector<FuncOp> found;
    for (mlir::Operation &op : *module.getBody()) {
        auto function = mlir::dyn_cast<FuncOp>(op);
        if (function && !ir::is_training(function))
            found.push_back(function);
        else if (!found.empty())
            return {};
    }
    return found;
}

bool places_all_variables(mlir::ModuleOp module) {
    llvm::DenseSet<mlir::StringAttr> used;
    for (FuncOp function : ir::entry_functions(module)) {
        if (!ir::is_training(function))
            continue;
        for (auto read : function.getOps<ir::ReadOp>())
            used.insert(read.getVariableAttr().getAttr());
        for (auto write : function.getOps<ir::WriteOp>())
            used.insert(write.getVariableAttr().getAttr());
    }
    return llvm::all_of(module.getOps<ir::VariableOp>(),
                        [&](ir::VariableOp variable) { return used.contains(variable.getSymNameAttr()); });
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> take_evaluation(mlir::ModuleOp module) {
    const std::vector<FuncOp> functions = last_functions(module);
    if (functions.empty() || !places_all_variables(module))
        return {};
    mlir::OwningOpRef<mlir::ModuleOp> evaluation = mlir::ModuleOp::create(module.getLoc());
    for (FuncOp function : functions)
        function->moveBefore(evaluation->getBody(), evaluation->getBody()->end());
    return evaluation;
}

void share_variables(mlir::ModuleOp training, mlir::ModuleOp evaluation) {
    evaluation->setAttrs(training->getAttrDictionary());
    auto builder = mlir::OpBuilder::atBlockBegin(evaluation.getBody());
    for (auto variable : training.getOps<ir::VariableOp>())
        builder.clone(*variable);
}

void add_evaluation(mlir::ModuleOp training, mlir::OwningOpRef<mlir::ModuleOp> evaluation) {
    uint64_t numbers = step_program(training).transfers.size(); // through all functions
    training.walk([&](ir::StartOp) { ++numbers; });
    shift_numbers(*evaluation, numbers);
    std::vector<int64_t> bytes = arenas(training);
    for (auto [of_role, of_evaluation] : llvm::zip_equal(bytes, arenas(*evaluation)))
        of_role = std::max(of_role, of_evaluation);
    set_arenas(training, bytes);
    for (FuncOp function : llvm::to_vector(evaluation->getOps<FuncOp>()))
        function->moveBefore(training.getBody(), training.getBody()->end());
}

} // namespace planc::schedule
