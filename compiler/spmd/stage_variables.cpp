#include "spmd/stage_variables.h"

namespace planc::spmd {

using sharding::ValueId;

StageVariables::StageVariables(mlir::ModuleOp module) : module_(module), pipeline_(ir::pipeline_of(module)) {
    for (auto variable : module.getOps<ir::VariableOp>())
        if (const auto stage = variable->getAttrOfType<mlir::IntegerAttr>("stage")) {
            const auto original = variable->getAttrOfType<mlir::StringAttr>("copy_of");
            stages_of_[original ? original.str() : variable.getSymName().str()].insert(
                static_cast<int>(stage.getInt()));
        }
}

void StageVariables::add(const Extracted &extracted, const sharding::LayerStages &layers) {
    const auto users = sharding::stages_of_variables(extracted.graph, layers);
    for (auto [name, value] : extracted.variable_of)
        stages_of_[name.str()].insert(users[value].begin(), users[value].end());
    for (const sharding::Operation &operation : extracted.graph.operations) {
        if (!operation.parameter)
            continue;
        const auto follow = [&](ValueId value) {
            if (value && extracted.graph.values[value].kind == sharding::ValueKind::variable)
                stages_of_[extracted.graph.values[value].name] = {users[operation.parameter].begin(),
                                                                  users[operation.parameter].end()};
        };
        for (const ValueId operand : operation.operands)
            follow(operand);
        for (const ValueId written : operation.writes)
            follow(written);
    }
}

void StageVariables::make(const pipeline::Schedule &schedule) {
    mlir::OpBuilder builder(module_.getContext());
    for (auto variable : llvm::make_early_inc_range(module_.getOps<ir::VariableOp>())) {
        const auto stages = stages_of_.find(variable.getSymName().str());
        if (stages == stages_of_.end() || stages->second.empty() || variable->hasAttr("stage"))
            continue;
        builder.setInsertionPointAfter(variable);
        for (const int stage : llvm::reverse(stages->second)) {
            const bool first = stage == *stages->second.begin();
            auto own = first ? variable : mlir::cast<ir::VariableOp>(builder.clone(*variable));
            own->setAttr("stage", builder.getI64IntegerAttr(stage));
            own->setAttr("rank_role", builder.getI64IntegerAttr(schedule.rank_of_part(stage)));
            if (first)
                continue;
            own->setAttr("copy_of", variable.getSymNameAttr());
            own.setSymName(name(variable.getSymName().str(), stage));
        }
    }
}

void StageVariables::rename(mlir::Operation *op, int stage) const {
    mlir::Builder builder(op->getContext());
    const auto renamed = [&](llvm::StringRef variable) { return name(variable.str(), stage); };
    if (auto read = mlir::dyn_cast<ir::ReadOp>(op))
        read.setVariable(renamed(read.getVariable()));
    else if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
        write.setVariable(renamed(write.getVariable()));
    else if (auto accumulate = mlir::dyn_cast<ir::AccumulateOp>(op))
        accumulate.setAccumulator(name_of_sum(accumulate.getAccumulator(), stage));
    if (const auto parameter = op->getAttrOfType<mlir::StringAttr>("parameter"))
        op->setAttr("parameter", builder.getStringAttr(renamed(parameter.getValue())));
}

/// Sums are where their terms are made: each replica has its own, also on stages that do not have the variable.
std::string StageVariables::name_of_sum(llvm::StringRef sum, int stage) const {
    llvm::StringRef variable = sum;
    const bool is_gradient = variable.consume_front("gradient of ");
    if (const std::string own = name(variable.str(), stage); is_gradient && own != variable)
        return "gradient of " + own;
    const int replica = stage / pipeline_.stages;
    return sum.str() + (replica > 0 ? " of replica " + std::to_string(replica) : "");
}

std::string StageVariables::name(const std::string &variable, int stage) const {
    const auto stages = stages_of_.find(variable);
    const bool is_copy =
        stages != stages_of_.end() && stages->second.contains(stage) && *stages->second.begin() != stage;
    return is_copy ? variable + " on stage " + ir::stage_name(pipeline_, stage) : variable;
}

} // namespace planc::spmd
