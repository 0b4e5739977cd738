#include "ir/entry_functions.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <optional>

namespace planc::ir {

using mlir::func::FuncOp;

namespace {

std::optional<Purpose> known_purpose(FuncOp function) {
    const auto purpose = function->getAttrOfType<mlir::StringAttr>("plan.purpose");
    return llvm::StringSwitch<std::optional<Purpose>>(purpose ? purpose.getValue() : "training")
        .Case("training", Purpose::training)
        .Case("evaluation", Purpose::evaluation)
        .Case("prediction", Purpose::prediction)
        .Default(std::nullopt); // a network or a loss, from which entries are made
}

} // namespace

Purpose purpose_of(FuncOp function) {
    return known_purpose(function).value_or(Purpose::training);
}

std::vector<FuncOp> entry_functions(mlir::ModuleOp module) {
    std::vector<FuncOp> functions;
    // This function is called often, so it skips the variables, which are far more numerous.
    for (auto function : module.getOps<FuncOp>())
        if (function.isPublic() && known_purpose(function))
            functions.push_back(function);
    std::stable_sort(functions.begin(), functions.end(),
                     [](FuncOp a, FuncOp b) { return purpose_of(a) < purpose_of(b); });
    return functions;
}

bool accumulates(FuncOp function) {
    return function->hasAttr("plan.accumulates");
}

int kind_number(FuncOp function) {
    const auto kind = function->getAttrOfType<mlir::IntegerAttr>("plan.kind");
    return kind ? static_cast<int>(kind.getInt()) : -1;
}

bool begins_sums(FuncOp function) {
    return function->hasAttr("plan.begins");
}

FuncOp updating_function(mlir::ModuleOp module) {
    for (FuncOp function : entry_functions(module))
        if (is_training(function) && !accumulates(function))
            return function;
    return {};
}

FuncOp function_for(mlir::ModuleOp module, Purpose purpose) {
    for (FuncOp function : entry_functions(module))
        if (purpose_of(function) == purpose)
            return function;
    return {};
}

std::int64_t samples_of(FuncOp function) {
    if (const auto samples = function->getAttrOfType<mlir::IntegerAttr>("plan.samples"))
        return samples.getInt();
    if (function.getNumArguments() == 0)
        return 1;
    const auto extents = mlir::cast<TensorType>(function.getArgument(0).getType()).getExtents();
    return extents.empty() ? 1 : extents.front();
}

mlir::StringRef sample_dimension(FuncOp function) {
    if (function.getNumArguments() == 0)
        return {};
    const auto roles = mlir::cast<TensorType>(function.getArgument(0).getType()).getRoles();
    return roles.empty() ? mlir::StringRef() : roles.front().getValue();
}

int stage_of(FuncOp function) {
    const auto stage = function->getAttrOfType<mlir::IntegerAttr>("plan.stage");
    return stage ? static_cast<int>(stage.getInt()) : 0;
}

int role_of(FuncOp function) {
    const auto role = function->getAttrOfType<mlir::IntegerAttr>("plan.role");
    return role ? static_cast<int>(role.getInt()) : 0;
}

void set_level(mlir::Operation *op, int level) {
    if (level > 0)
        op->setAttr("level", mlir::IntegerAttr::get(mlir::IntegerType::get(op->getContext(), 64), level));
}

int received_by(mlir::BlockArgument argument) {
    auto function = mlir::cast<FuncOp>(argument.getOwner()->getParentOp());
    const auto number = function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), "plan.received");
    return number ? static_cast<int>(number.getInt()) : -1;
}

std::vector<int> sent_by(FuncOp function) {
    const auto sent = function->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.sends");
    const llvm::ArrayRef<std::int64_t> numbers = sent ? sent.asArrayRef() : llvm::ArrayRef<std::int64_t>();
    return {numbers.begin(), numbers.end()};
}

unsigned own_results(FuncOp function) {
    return function.getNumResults() - static_cast<unsigned>(sent_by(function).size());
}

unsigned whole_results(FuncOp function) {
    return purpose_of(function) == Purpose::prediction ? 0 : own_results(function);
}

std::int64_t micro_batch_count(mlir::ModuleOp module) {
    const auto count = module->getAttrOfType<mlir::IntegerAttr>("plan.microbatches");
    return count ? count.getInt() : 1;
}

std::int64_t batch_of(mlir::ModuleOp module) {
    if (const auto batch = module->getAttrOfType<mlir::IntegerAttr>("plan.batch"))
        return batch.getInt();
    FuncOp step = updating_function(module);
    return step ? samples_of(step) : 1;
}

int slots_of(mlir::ModuleOp module) {
    const auto slots = module->getAttrOfType<mlir::IntegerAttr>("plan.slots");
    return slots ? static_cast<int>(slots.getInt()) : 1;
}

int slots_of(FuncOp function) {
    if (const auto slots = function->getAttrOfType<mlir::IntegerAttr>("plan.slots"))
        return static_cast<int>(slots.getInt());
    return slots_of(function->getParentOfType<mlir::ModuleOp>());
}

void set_slots(mlir::ModuleOp module, int slots) {
    module->setAttr("plan.slots", mlir::Builder(module.getContext()).getI64IntegerAttr(slots));
}

} // namespace planc::ir
