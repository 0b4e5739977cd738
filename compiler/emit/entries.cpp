#include "emit/entries.h"

#include "schedule/functions.h"

#include <algorithm>

namespace planc::emit {

namespace {

std::int64_t samples_of(mlir::func::FuncOp function) {
    if (function.getNumArguments() == 0)
        return 1;
    const auto extents = schedule::tensor(function.getArgument(0)).getExtents();
    return extents.empty() ? 1 : extents.front();
}

/// First samples of the parts of the batch that the function works on, one for each time that it runs.
std::vector<std::int64_t> firsts(mlir::func::FuncOp function) {
    const auto attribute = function->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.firsts");
    return attribute ? attribute.asArrayRef().vec() : std::vector<std::int64_t>{0};
}

} // namespace

std::vector<MicroBatchAction> micro_batches(mlir::ModuleOp module) {
    std::vector<MicroBatchAction> actions;
    for (mlir::func::FuncOp function : schedule::entry_functions(module))
        if (schedule::is_training(function))
            for (const std::int64_t first : firsts(function))
                actions.push_back({function, entry_name(function), first, samples_of(function)});
    std::stable_sort(actions.begin(), actions.end(),
                     [](const MicroBatchAction &a, const MicroBatchAction &b) { return a.first < b.first; });
    if (has_accumulators(module))
        actions.front().entry = "first_step";
    return actions;
}

bool is_accumulator(ir::VariableOp variable) {
    return variable->hasAttr("accumulator");
}

bool has_accumulators(mlir::ModuleOp module) {
    return llvm::any_of(module.getOps<ir::VariableOp>(), is_accumulator);
}

std::string entry_name(mlir::func::FuncOp function) {
    return function.getName().str() + "_step";
}

std::vector<mlir::func::FuncOp> running_functions(mlir::ModuleOp module) {
    std::vector<mlir::func::FuncOp> functions;
    for (mlir::func::FuncOp entry : schedule::entry_functions(module)) {
        if (!schedule::is_training(entry)) {
            functions.push_back(entry);
            continue;
        }
        for (auto call : entry.getOps<mlir::func::CallOp>())
            if (auto callee = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
                !llvm::is_contained(functions, callee))
                functions.push_back(callee);
    }
    return functions;
}

StageCalls::StageCalls(mlir::ModuleOp module) {
    const mlir::SymbolTable symbols(module);
    for (mlir::func::FuncOp entry : schedule::entry_functions(module)) {
        if (!schedule::is_training(entry))
            continue;
        for (auto call : entry.getOps<mlir::func::CallOp>()) {
            auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
            callees_[call] = callee;
            calls_.insert({callee, call});
        }
    }
}

mlir::func::FuncOp StageCalls::entry_of(mlir::func::FuncOp function) const {
    auto call = of(function);
    return call ? call->getParentOfType<mlir::func::FuncOp>() : function;
}

std::int64_t StageCalls::runs_a_step(mlir::func::FuncOp function) const {
    return static_cast<std::int64_t>(firsts(entry_of(function)).size());
}

} // namespace planc::emit
