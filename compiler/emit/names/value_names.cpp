#include "emit/names/value_names.h"

#include "emit/names/local_extents.h"
#include "schedule/buffers.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"

#include <optional>

namespace planc::emit {

namespace {

/// The parameter whose update takes the value, through communication.
std::optional<std::string> updated_parameter(mlir::Value value, const schedule::Bodies &bodies) {
    for (mlir::OpOperand &use : value.getUses()) {
        mlir::Operation *user = use.getOwner();
        std::optional<std::string> found;
        if (const auto parameter = user->getAttrOfType<mlir::StringAttr>("parameter")) {
            found = parameter.str();
        } else if (mlir::isa<ir::StartOp, ir::WaitOp>(user)) {
            found = updated_parameter(user->getResult(use.getOperandNumber()), bodies);
        } else if (mlir::isa<ir::ViewOp>(user)) {
            found = updated_parameter(user->getResult(0), bodies);
        } else if (mlir::isa<mlir::func::ReturnOp>(user)) {
            if (const int passed = bodies.given(use); passed >= 0)
                for (mlir::BlockArgument argument : llvm::reverse(bodies.takers(passed)))
                    if (!found)
                        found = updated_parameter(argument, bodies);
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

/// "attention", "attention total"; of gradients, of what: "queries".
std::string attention_name(ir::AttentionOp op, unsigned result) {
    const llvm::StringRef kind = mlir::cast<mlir::StringAttr>(op.getKinds()[result]).getValue();
    return kind == "output"           ? "attention"
           : kind == "total"          ? "attention total"
           : kind == "query_gradient" ? "queries"
           : kind == "key_gradient"   ? "keys"
                                      : "values";
}

/// A qualifier of a function's values: "accumulated rest " for micro-batches before the last one that are larger than
/// it.
std::string qualifier(mlir::func::FuncOp function) {
    switch (ir::purpose_of(function)) {
    case ir::Purpose::evaluation:
        return "evaluated ";
    case ir::Purpose::prediction:
        return "predicted ";
    case ir::Purpose::training:
        break;
    }
    if (!ir::accumulates(function))
        return "";
    return function.getName().starts_with("accumulate_rest") ? "accumulated rest " : "accumulated ";
}

bool tensor_is_scalar(mlir::Value value) {
    return schedule::tensor(value).getRoles().empty();
}

bool tensor_is_integer(mlir::Value value) {
    return schedule::tensor(value).getElementType().isInteger();
}

std::string title_of(mlir::Value value, const schedule::Bodies &bodies) {
    mlir::Operation *op = computation(value);
    if (const auto parameter = op->getAttrOfType<mlir::StringAttr>("parameter"))
        return "update of " + parameter.str() + " " + operation_name(op);
    const bool forward = schedule::part_of(op) == schedule::Part::forward; // a statistic of the batch
    if (const auto parameter = updated_parameter(value, bodies); parameter && !tensor_is_scalar(value) && !forward)
        return "gradient of " + *parameter;
    if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
        const mlir::Attribute tensor = start.getTensors()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
        return mlir::cast<mlir::StringAttr>(tensor).str() + " " + operation_name(op);
    }
    const bool numbers = mlir::isa<ir::MaxPoolOp>(op) && tensor_is_integer(value);
    auto attention = mlir::dyn_cast<ir::AttentionOp>(op);
    const std::string name =
        attention ? attention_name(attention, mlir::cast<mlir::OpResult>(value).getResultNumber()) : operation_name(op);
    const std::string title = schedule::layer_of(op) + " " + name + (numbers ? " number" : "");
    return schedule::part_of(op) == schedule::Part::backward ? "gradient at " + title : title;
}

} // namespace

mlir::Value ValueNames::origin(mlir::Value value) const {
    while (true) {
        value = schedule::buffer_root(value);
        auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
        const int taken = argument ? step_.bodies().taken(argument) : -1;
        if (taken < 0 || step_.bodies().of(taken) == value)
            return value;
        value = step_.bodies().of(taken);
    }
}

ValueNames::ValueNames(mlir::ModuleOp module, const Step &step) : step_(step) {
    for (auto variable : module.getOps<ir::VariableOp>()) {
        const int64_t offset = variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
        const std::string name =
            declare(variable.getSymName().str(), offset, mlir::cast<ir::TensorType>(variable.getType()));
        variables_[variable.getSymNameAttr()] = name;
        variable_at_[{step.role_of(variable), offset}] = name;
    }
    first_temporary_ = buffers_.size();
    for (mlir::func::FuncOp function : step.functions())
        name_inputs(function);
    for (mlir::func::FuncOp function : step.functions())
        name_function(function);
}

void ValueNames::name_inputs(mlir::func::FuncOp function) {
    const std::string of = qualifier(function);
    if (const int body = step_.bodies().of(function); body >= 0) {
        for (const int loaded : step_.program().bodies[static_cast<std::size_t>(body)].loads)
            add(step_.bodies().of(loaded), of + step_.program().values[static_cast<std::size_t>(loaded)].name);
        for (mlir::BlockArgument argument : function.getArguments()) // received from another role
            if (const int taken = step_.bodies().taken(argument); step_.bodies().of(taken) == argument)
                if (names_.count(argument) == 0)
                    add(argument, of + step_.program().values[static_cast<std::size_t>(taken)].name);
        return;
    }
    for (mlir::BlockArgument argument : function.getArguments()) {
        const char *name = ir::received_by(argument) < 0 ? "plan.input" : "plan.tensor";
        const auto input = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), name);
        add(argument, of + (input ? input.str() : std::string("input")));
    }
}

void ValueNames::name_function(mlir::func::FuncOp function) {
    const std::string of = qualifier(function);
    for (mlir::Operation &op : function.getBody().front())
        if (!mlir::isa<ir::ReadOp, ir::ViewOp, ir::WaitOp>(op))
            for (mlir::Value result : op.getResults())
                add(result, of + title_of(result, step_.bodies()));
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
    auto function = mlir::cast<mlir::func::FuncOp>(value.getParentRegion()->getParentOp());
    const auto variable = variable_at_.find({step_.role_of(function), offset});
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
