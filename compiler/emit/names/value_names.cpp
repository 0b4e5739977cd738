#include "emit/names/value_names.h"

#include "emit/names/local_extents.h"
#include "schedule/buffers.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace planc::emit {

namespace {

/// The parameter whose update takes the value, through communication.
std::optional<std::string> updated_parameter(mlir::Value value, const StageCalls &calls) {
    for (mlir::OpOperand &use : value.getUses()) {
        mlir::Operation *user = use.getOwner();
        std::optional<std::string> found;
        if (const auto parameter = user->getAttrOfType<mlir::StringAttr>("parameter")) {
            found = parameter.str();
        } else if (mlir::isa<ir::StartOp, ir::WaitOp>(user)) {
            found = updated_parameter(user->getResult(use.getOperandNumber()), calls);
        } else if (mlir::isa<ir::ViewOp>(user)) {
            found = updated_parameter(user->getResult(0), calls);
        } else if (mlir::isa<mlir::func::ReturnOp>(user)) {
            if (auto call = calls.of(user->getParentOfType<mlir::func::FuncOp>()))
                found = updated_parameter(call.getResult(use.getOperandNumber()), calls);
        } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(user)) {
            found = updated_parameter(calls.callee(call).getArgument(use.getOperandNumber()), calls);
        }
        if (found)
            return found;
    }
    return std::nullopt;
}

/// The operation that computes the value, inside a loop if need be.
mlir::Operation *computation(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op))
        op = loops.getBody()
                 .front()
                 .getTerminator()
                 ->getOperand(mlir::cast<mlir::OpResult>(value).getResultNumber())
                 .getDefiningOp();
    return op;
}

/// "relu", "max", "product": what made the value.
std::string operation_name(mlir::Operation *op) {
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op))
        return pointwise.getFunction().str();
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return reduce.getReduction().str();
    if (auto start = mlir::dyn_cast<ir::StartOp>(op))
        return start.getKind().str();
    if (mlir::isa<ir::GemmOp>(op))
        return "product";
    if (mlir::isa<ir::MaxPoolOp>(op))
        return "max pool";
    if (auto pool = mlir::dyn_cast<ir::PoolOp>(op))
        return pool.getKind().starts_with("sum") ? "sum pool" : "max pool";
    if (mlir::isa<ir::PackOp>(op) || (mlir::isa<ir::ConvOp>(op) && schedule::format_of(op->getResult(0))))
        return "packed weights";
    return op->getName().stripDialect().str();
}

/// Of the values of one entry function.
std::string qualifier(mlir::func::FuncOp entry) {
    static const llvm::StringMap<const char *> words{{"train", ""},
                                                     {"evaluate", "evaluated "},
                                                     {"predict", "predicted "},
                                                     {"accumulate", "accumulated "},
                                                     {"accumulate_rest", "accumulated rest "}};
    return words.lookup(entry.getName());
}

bool tensor_is_scalar(mlir::Value value) {
    return schedule::tensor(value).getRoles().empty();
}

bool tensor_is_integer(mlir::Value value) {
    return schedule::tensor(value).getElementType().isInteger();
}

std::string title_of(mlir::Value value, const StageCalls &calls) {
    mlir::Operation *op = computation(value);
    if (const auto parameter = op->getAttrOfType<mlir::StringAttr>("parameter"))
        return "update of " + parameter.str() + " " + operation_name(op);
    const bool forward = schedule::stage_of(op) == schedule::Stage::forward; // a statistic of the batch
    if (const auto parameter = updated_parameter(value, calls); parameter && !tensor_is_scalar(value) && !forward)
        return "gradient of " + *parameter;
    if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
        const mlir::Attribute tensor = start.getTensors()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
        return mlir::cast<mlir::StringAttr>(tensor).str() + " " + operation_name(op);
    }
    const bool numbers = mlir::isa<ir::MaxPoolOp>(op) && tensor_is_integer(value);
    const std::string title = schedule::layer_of(op) + " " + operation_name(op) + (numbers ? " number" : "");
    return schedule::stage_of(op) == schedule::Stage::backward ? "gradient at " + title : title;
}

} // namespace

mlir::Value ValueNames::origin(mlir::Value value) const {
    while (true) {
        value = schedule::buffer_root(value);
        if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
            auto call = calls_.of(mlir::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp()));
            if (!call)
                return value;
            value = call.getOperand(argument.getArgNumber());
        } else if (auto call = value.getDefiningOp<mlir::func::CallOp>()) {
            value = calls_.callee(call).getBody().front().getTerminator()->getOperand(
                mlir::cast<mlir::OpResult>(value).getResultNumber());
        } else {
            return value;
        }
    }
}

ValueNames::ValueNames(mlir::ModuleOp module) : calls_(module) {
    for (auto variable : module.getOps<ir::VariableOp>()) {
        const int64_t offset = variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
        const std::string name =
            declare(variable.getSymName().str(), offset, mlir::cast<ir::TensorType>(variable.getType()));
        variables_[variable.getSymNameAttr()] = name;
        variable_at_[offset] = name;
    }
    first_temporary_ = buffers_.size();
    for (mlir::func::FuncOp function : schedule::entry_functions(module))
        for (mlir::BlockArgument argument : function.getArguments()) {
            const auto input = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            add(argument, qualifier(function) + (input ? input.str() : std::string("input")));
        }
    for (mlir::func::FuncOp function : running_functions(module))
        name_function(function);
}

void ValueNames::name_function(mlir::func::FuncOp function) {
    const std::string entry = qualifier(calls_.entry_of(function));
    for (mlir::Operation &op : function.getBody().front())
        if (!mlir::isa<ir::ReadOp, ir::ViewOp, ir::WaitOp>(op))
            for (mlir::Value result : op.getResults())
                add(result, entry + title_of(result, calls_));
}

void ValueNames::add(mlir::Value value, const std::string &title) {
    const int64_t offset = schedule::offset_of(value);
    // An updated variable has its name; a result that took over its operand's buffer in a collective keeps that name.
    if (auto start = value.getDefiningOp<ir::StartOp>()) {
        const mlir::Value input = start.getInputs()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
        if (schedule::offset_of(input) == offset) {
            names_[value] = of(input);
            return;
        }
    }
    if (auto gemm = value.getDefiningOp<ir::GemmOp>();
        gemm && gemm.getBeta() && schedule::offset_of(gemm.getAccumulator()) == offset) {
        names_[value] = of(gemm.getAccumulator());
        return;
    }
    const auto variable = variable_at_.find(offset);
    names_[value] = variable != variable_at_.end() ? variable->second : declare(title, offset, schedule::tensor(value));
}

std::string ValueNames::declare(const std::string &title, int64_t offset, ir::TensorType type) {
    buffers_.push_back({unique_.add(title), offset, title, type});
    numbers_[buffers_.back().name] = buffers_.size() - 1;
    return buffers_.back().name;
}

std::string ValueNames::of(mlir::Value value) const {
    const mlir::Value source = origin(value);
    if (auto read = source.getDefiningOp<ir::ReadOp>())
        return variables_.lookup(read.getVariableAttr().getAttr());
    return names_.lookup(source);
}

std::string ValueNames::title(mlir::Value value) const {
    const std::string name = of(value);
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? name : buffers_[at->second].title;
}

Hole ValueNames::hole(const std::string &name, ir::TensorType type) const {
    const auto at = numbers_.find(name);
    Hole hole;
    hole.kind = at->second < first_temporary_ ? Hole::Kind::variable : Hole::Kind::place;
    hole.number = buffers_[at->second].offset;
    hole.name = "at::" + name;
    hole.title = buffers_[at->second].title;
    hole.shape = describe(type);
    return hole;
}

} // namespace planc::emit
