#include "stale_step.h"

#include "interpret/whole_batch.h"
#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "schedule/functions.h"
#include "schedule/micro_batch_kind.h"
#include "sharding/stages.h"

#include <algorithm>
#include <map>
#include <vector>

namespace planc::test {

using interpret::Array;
using interpret::Inputs;
using interpret::Outcome;

namespace {

constexpr const char *stage_attribute = "test.stage";   // of a parameter
constexpr const char *stages_attribute = "test.stages"; // of the module

std::string stale(const std::string &parameter) {
    return parameter + " (stale)";
}

int version_of(const pipeline::Updates &updates, int stages, int stage, int micro_batch) {
    if (updates.weights == pipeline::Weights::stashed)
        return std::max(0, micro_batch - (stages - 1 - stage));
    return std::max(0, micro_batch / updates.accumulated - 1);
}

mlir::func::FuncOp function_of(mlir::ModuleOp module, const program::MicroBatchKind &kind) {
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        if (ir::is_training(function) && schedule::kind_of(function) == kind)
            return function;
    throw interpret::Failure("a kind of micro-batch has no function");
}

/// Values of the parameters, by name.
using Weights = std::map<std::string, Array>;

Weights weights_of(const std::map<std::string, int> &stages, const std::map<std::string, Array> &variables) {
    Weights weights;
    for (const auto &[name, stage] : stages)
        weights[name] = variables.at(name);
    return weights;
}

} // namespace

bool has_several_updates(mlir::ModuleOp module) {
    mlir::func::FuncOp step = ir::updating_function(module);
    return step && ir::kind_number(step) >= 0;
}

void make_stale(mlir::ModuleOp module, const plan::Request &request, const plan::Plan &plan) {
    mlir::OpBuilder builder(module.getContext());
    std::map<std::string, int> stage_of;
    const auto users = sharding::stages_of_variables(request.graph, plan.pipeline->stages);
    for (const sharding::ValueId v : users.ids())
        if (request.graph.values[v].kind == sharding::ValueKind::variable && !users[v].empty())
            stage_of[request.graph.values[v].name] = users[v].front();
    for (auto variable : llvm::to_vector(module.getOps<ir::VariableOp>())) {
        const auto stage = stage_of.find(variable.getSymName().str());
        if (!variable.getTrained() || stage == stage_of.end())
            continue;
        variable->setAttr(stage_attribute, builder.getI64IntegerAttr(stage->second));
        builder.setInsertionPointAfter(variable);
        auto other = mlir::cast<ir::VariableOp>(builder.clone(*variable));
        other.setSymName(stale(variable.getSymName().str()));
        other.setTrained(false);
        other->removeAttr(stage_attribute);
    }
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        for (auto read : llvm::to_vector(function.getOps<ir::ReadOp>())) {
            auto variable = mlir::SymbolTable::lookupNearestSymbolFrom<ir::VariableOp>(read, read.getVariableAttr());
            if (!ir::is_training(function) || !variable->hasAttr(stage_attribute))
                continue;
            builder.setInsertionPointAfter(read);
            auto old = mlir::cast<ir::ReadOp>(builder.clone(*read));
            old.setVariable(stale(read.getVariable().str()));
            read.getResult().replaceUsesWithIf(old.getResult(), [](mlir::OpOperand &use) {
                return schedule::part_of(use.getOwner()) != schedule::Part::update;
            });
        }
    module->setAttr(stages_attribute, builder.getI64IntegerAttr(plan.pipeline->stages.count));
}

bool is_stale(mlir::ModuleOp module) {
    return module->hasAttr(stages_attribute);
}

Outcome run_stale_step(mlir::ModuleOp module, const Inputs &inputs) {
    const pipeline::Updates updates = ir::updates_of(module);
    const auto stages = static_cast<int>(module->getAttrOfType<mlir::IntegerAttr>(stages_attribute).getInt());
    std::map<std::string, int> stage_of;
    for (auto variable : module.getOps<ir::VariableOp>())
        if (const auto stage = variable->getAttrOfType<mlir::IntegerAttr>(stage_attribute))
            stage_of[variable.getSymName().str()] = static_cast<int>(stage.getInt());
    const auto parts = schedule::micro_batches_of(module);
    Inputs now = inputs;
    now.accumulators.clear();
    std::vector<Weights> versions{weights_of(stage_of, inputs.variables)};
    Outcome outcome;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const auto &[name, stage] : stage_of)
            now.variables[stale(name)] =
                versions.at(static_cast<std::size_t>(version_of(updates, stages, stage, static_cast<int>(i))))[name];
        const program::MicroBatchKind kind = program::kind_of(parts, i, updates.weights);
        mlir::func::FuncOp function = function_of(module, kind);
        now.step = inputs.step * (parts.back().update + 1) + parts[i].update;
        outcome = interpret::run(module, function.getName(), inputs_of_part(function, now, parts[i].first));
        now.variables = outcome.variables;
        now.accumulators = outcome.accumulators;
        if (kind.updates)
            versions.push_back(weights_of(stage_of, now.variables));
    }
    for (const auto &[name, stage] : stage_of)
        outcome.variables.erase(stale(name));
    return outcome;
}

} // namespace planc::test
