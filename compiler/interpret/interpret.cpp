#include "interpret/interpret.h"

#include "interpret/collectives.h"
#include "interpret/evaluate.h"
#include "ir/layer_builder.h"
#include "ir/placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>

namespace planc::interpret {

using ir::type_of;
using planrt::Placement;

namespace {

using Parts = std::vector<Local>; ///< per rank

std::string describe(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, mlir::OpPrintingFlags().skipRegions());
    return text;
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || a == b;
}

class Interpreter {
  public:
    Interpreter(mlir::ModuleOp module, const Inputs &inputs)
        : module_(module), inputs_(inputs), axes_(ir::mesh_attribute(module)), mesh_(ir::mesh_of(axes_)) {}

    Outcome run(mlir::func::FuncOp function);

  private:
    Placement placement(mlir::Value value) { return ir::placement_of(type_of(value), axes_); }
    Parts scatter(const Array &whole, ir::TensorType type, const std::string &what);
    Array gather(const Parts &parts, ir::TensorType type);
    void check_replicas(const Parts &parts, ir::TensorType type);

    void visit(mlir::Operation &op);
    void nest(mlir::Operation &op);
    void collective(ir::CollectiveOp op);
    void write(ir::WriteOp op);
    ir::VariableOp variable(mlir::Operation *user, mlir::FlatSymbolRefAttr name);

    mlir::ModuleOp module_;
    const Inputs &inputs_;
    ir::MeshAttr axes_;
    planrt::Mesh mesh_;
    llvm::DenseMap<mlir::Value, Parts> values_;
    std::map<std::string, Array> written_;
    Outcome outcome_;
};

Parts Interpreter::scatter(const Array &whole, ir::TensorType type, const std::string &what) {
    const std::vector<std::int64_t> extents(type.getExtents().begin(), type.getExtents().end());
    if (whole.extents != extents || static_cast<std::int64_t>(whole.elements.size()) != type.elements())
        throw Failure(what + " is not of the declared shape");
    planrt::Box everything;
    for (std::int64_t extent : extents)
        everything.push_back({0, extent});
    Local all(everything);
    all.elements = whole.elements;
    const Placement placement = ir::placement_of(type, axes_);
    if (!placement.partial.empty())
        throw Failure(what + " is laid out as a partial result");
    Parts parts;
    for (int rank = 0; rank < mesh_.ranks(); ++rank)
        parts.push_back(extract(all, planrt::local_box(placement, mesh_, rank)));
    return parts;
}

Array Interpreter::gather(const Parts &parts, ir::TensorType type) {
    if (!ir::placement_of(type, axes_).partial.empty())
        throw Failure("a partial result leaves the program");
    Array whole{{type.getExtents().begin(), type.getExtents().end()}, {}};
    whole.elements.resize(static_cast<std::size_t>(type.elements()));
    planrt::Box everything;
    for (std::int64_t extent : whole.extents)
        everything.push_back({0, extent});
    for (const Local &part : parts)
        for_each_offset(everything, part.box,
                        [&](std::size_t at, std::size_t local) { whole.elements[at] = part.elements[local]; });
    return whole;
}

/// Ranks that have the same block and the same coordinates along partial axes hold the same bits.
void Interpreter::check_replicas(const Parts &parts, ir::TensorType type) {
    const Placement placement = ir::placement_of(type, axes_);
    std::map<std::vector<std::int64_t>, int> first;
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const Local &part = parts[static_cast<std::size_t>(rank)];
        std::vector<std::int64_t> key;
        for (const planrt::Range &range : part.box) {
            key.push_back(range.begin);
            key.push_back(range.end);
        }
        for (int axis : placement.partial)
            key.push_back(mesh_.coordinates(rank)[static_cast<std::size_t>(axis)]);
        const int other = first.emplace(key, rank).first->second;
        if (!std::equal(part.elements.begin(), part.elements.end(),
                        parts[static_cast<std::size_t>(other)].elements.begin(), same_bits))
            throw Failure("replicas differ on ranks " + std::to_string(other) + " and " + std::to_string(rank));
    }
}

ir::VariableOp Interpreter::variable(mlir::Operation *user, mlir::FlatSymbolRefAttr name) {
    auto found = mlir::SymbolTable::lookupNearestSymbolFrom<ir::VariableOp>(user, name);
    if (!inputs_.variables.contains(name.getValue().str()))
        throw Failure("variable '" + name.getValue().str() + "' has no value");
    return found;
}

void Interpreter::nest(mlir::Operation &op) {
    std::vector<Parts> results(op.getNumResults());
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        std::vector<const Local *> operands;
        for (mlir::Value operand : op.getOperands())
            operands.push_back(&values_.find(operand)->second[static_cast<std::size_t>(rank)]);
        std::vector<planrt::Box> boxes;
        for (mlir::Value result : op.getResults())
            boxes.push_back(planrt::local_box(placement(result), mesh_, rank));
        std::vector<Local> made = evaluate(&op, operands, boxes, inputs_.step);
        for (std::size_t i = 0; i < made.size(); ++i)
            results[i].push_back(std::move(made[i]));
    }
    for (auto [result, parts] : llvm::zip(op.getResults(), results)) {
        check_replicas(parts, type_of(result));
        values_[result] = std::move(parts);
    }
}

void Interpreter::collective(ir::CollectiveOp op) {
    static const std::map<llvm::StringRef, planrt::CollectiveKind> kinds{
        {"slice", planrt::CollectiveKind::slice},
        {"all_gather", planrt::CollectiveKind::all_gather},
        {"reduce_scatter", planrt::CollectiveKind::reduce_scatter},
        {"all_reduce", planrt::CollectiveKind::all_reduce},
        {"all_to_all", planrt::CollectiveKind::all_to_all},
        {"exchange", planrt::CollectiveKind::exchange}};
    const planrt::CollectiveKind kind = kinds.at(op.getKind());
    const Placement from = placement(op.getOperand());
    const Placement to = placement(op.getResult());
    std::vector<int> axes;
    for (mlir::Attribute name : op.getAxes())
        axes.push_back(ir::axis_index(axes_, mlir::cast<mlir::StringAttr>(name).getValue()));
    Communicated done = communicate(kind, axes, from, to, mesh_, values_.find(op.getOperand())->second);
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const planrt::Traffic predicted = planrt::traffic(kind, from, to, mesh_, rank);
        const planrt::Traffic counted = done.traffic[static_cast<std::size_t>(rank)];
        if (!(predicted == counted))
            throw Failure("rank " + std::to_string(rank) + " makes " + std::to_string(counted.calls) + " calls with " +
                          std::to_string(counted.elements) + " elements, planrt::traffic() says " +
                          std::to_string(predicted.calls) + " with " + std::to_string(predicted.elements));
    }
    check_replicas(done.values, op.getResult().getType());
    values_[op.getResult()] = std::move(done.values);
    outcome_.collectives.push_back({op.getKind().str(), op.getLayer().value_or("").str(),
                                    op.getPhase().value_or("").str(), std::move(done.traffic)});
}

void Interpreter::write(ir::WriteOp op) {
    ir::VariableOp target = variable(op, op.getVariableAttr());
    const ir::TensorType type = type_of(op.getValue());
    if (!(ir::placement_of(type, axes_) == ir::placement_of(mlir::cast<ir::TensorType>(target.getType()), axes_)))
        throw Failure("the value does not lie as the variable does");
    written_[op.getVariable().str()] = gather(values_.find(op.getValue())->second, type);
}

void Interpreter::visit(mlir::Operation &op) {
    if (auto read = mlir::dyn_cast<ir::ReadOp>(op)) {
        ir::VariableOp source = variable(read, read.getVariableAttr());
        const auto home = mlir::cast<ir::TensorType>(source.getType());
        if (!(placement(read.getResult()) == ir::placement_of(home, axes_)))
            throw Failure("the value does not lie as the variable does");
        const std::string name = read.getVariable().str();
        values_[read.getResult()] = scatter(inputs_.variables.at(name), home, "variable '" + name + "'");
    } else if (auto store = mlir::dyn_cast<ir::WriteOp>(op)) {
        write(store);
    } else if (auto communication = mlir::dyn_cast<ir::CollectiveOp>(op)) {
        collective(communication);
    } else if (mlir::isa<mlir::func::ReturnOp>(op)) {
        for (mlir::Value value : op.getOperands())
            outcome_.results.push_back(gather(values_.find(value)->second, type_of(value)));
    } else {
        nest(op);
    }
}

Outcome Interpreter::run(mlir::func::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments()) {
        const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
        const auto field = inputs_.fields.find(name ? name.str() : "");
        if (field == inputs_.fields.end())
            throw Failure("argument " + std::to_string(argument.getArgNumber()) + " has no value");
        values_[argument] = scatter(field->second, type_of(argument), "input '" + field->first + "'");
    }
    for (mlir::Operation &op : function.getBody().front()) {
        try {
            visit(op);
        } catch (const Failure &failure) {
            throw Failure(std::string(failure.what()) + "\n  at " + describe(&op));
        }
    }
    outcome_.variables = inputs_.variables;
    for (auto &[name, array] : written_)
        outcome_.variables[name] = std::move(array);
    return std::move(outcome_);
}

} // namespace

Outcome run(mlir::ModuleOp module, llvm::StringRef function, const Inputs &inputs) {
    auto found = module.lookupSymbol<mlir::func::FuncOp>(function);
    if (!found)
        throw Failure("there is no function @" + function.str());
    return Interpreter(module, inputs).run(found);
}

} // namespace planc::interpret
