#include "interpret/interpret.h"

#include "interpret/buffers.h"
#include "interpret/collectives.h"
#include "interpret/evaluate.h"
#include "ir/layer_builder.h"
#include "ir/placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <bit>
#include <optional>

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

planrt::CollectiveKind kind_of(llvm::StringRef name) {
    static const std::map<llvm::StringRef, planrt::CollectiveKind> kinds{
        {"slice", planrt::CollectiveKind::slice},
        {"all_gather", planrt::CollectiveKind::all_gather},
        {"reduce_scatter", planrt::CollectiveKind::reduce_scatter},
        {"all_reduce", planrt::CollectiveKind::all_reduce},
        {"all_to_all", planrt::CollectiveKind::all_to_all},
        {"exchange", planrt::CollectiveKind::exchange}};
    return kinds.at(name);
}

int element_bytes(ir::TensorType type) {
    return static_cast<int>(type.getElementType().getIntOrFloatBitWidth() / 8);
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

    void visit_all(mlir::Block &block);
    void visit(mlir::Operation &op);
    void nest(mlir::Operation &op);
    Parts communicate(llvm::StringRef kind, mlir::ArrayAttr axes, mlir::Value from, mlir::Value to,
                      std::vector<planrt::Traffic> &traffic);
    void collective(ir::CollectiveOp op);
    void start(ir::StartOp op);
    void loops(ir::LoopsOp op);
    void call(mlir::func::CallOp op);
    void read(ir::ReadOp op);
    void write(ir::WriteOp op);
    ir::VariableOp variable(mlir::Operation *user, mlir::FlatSymbolRefAttr name);

    // Places of values, where the schedule has given them.
    void place_variables();
    void place_arguments(mlir::func::FuncOp function);
    int place(std::int64_t offset, ir::TensorType type, const std::string &name);
    void read_places(mlir::Operation &op);
    void write_places(mlir::Operation &op);
    void start_places(ir::StartOp op);
    void same_place(mlir::Value value, mlir::Value other);

    mlir::ModuleOp module_;
    const Inputs &inputs_;
    ir::MeshAttr axes_;
    planrt::Mesh mesh_;
    llvm::DenseMap<mlir::Value, Parts> values_;
    std::map<std::string, Array> written_;
    std::optional<Buffers> buffers_; ///< of a schedule
    llvm::DenseMap<mlir::Value, int> places_;
    std::map<std::string, int> variable_places_;
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

Parts Interpreter::communicate(llvm::StringRef kind, mlir::ArrayAttr names, mlir::Value from, mlir::Value to,
                               std::vector<planrt::Traffic> &traffic) {
    std::vector<int> axes;
    for (mlir::Attribute name : names)
        axes.push_back(ir::axis_index(axes_, mlir::cast<mlir::StringAttr>(name).getValue()));
    Communicated done =
        interpret::communicate(kind_of(kind), axes, placement(from), placement(to), mesh_, values_.find(from)->second);
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const planrt::Traffic predicted = planrt::traffic(kind_of(kind), placement(from), placement(to), mesh_, rank);
        const planrt::Traffic counted = done.traffic[static_cast<std::size_t>(rank)];
        if (!(predicted == counted))
            throw Failure("rank " + std::to_string(rank) + " makes " + std::to_string(counted.calls) + " calls with " +
                          std::to_string(counted.elements) + " elements, planrt::traffic() says " +
                          std::to_string(predicted.calls) + " with " + std::to_string(predicted.elements));
    }
    check_replicas(done.values, type_of(to));
    traffic = std::move(done.traffic);
    return std::move(done.values);
}

void Interpreter::collective(ir::CollectiveOp op) {
    CollectiveRecord record{op.getKind().str(),
                            op.getLayer().value_or("").str(),
                            op.getPhase().value_or("").str(),
                            element_bytes(op.getResult().getType()),
                            {}};
    values_[op.getResult()] = communicate(op.getKind(), op.getAxes(), op.getOperand(), op.getResult(), record.traffic);
    outcome_.collectives.push_back(std::move(record));
}

/// Members travel in one call. The results are there at once, but their places are not to be touched before the wait.
void Interpreter::start(ir::StartOp op) {
    CollectiveRecord record{op.getKind().str(),
                            op.getLayer().value_or("").str(),
                            op.getPhase().value_or("").str(),
                            element_bytes(type_of(op.getResults().front())),
                            {}};
    for (auto [from, to] : llvm::zip(op.getInputs(), op.getResults())) {
        std::vector<planrt::Traffic> traffic;
        Parts parts = communicate(op.getKind(), op.getAxes(), from, to, traffic);
        values_[to] = std::move(parts);
        if (record.traffic.empty())
            record.traffic = std::move(traffic);
        else
            for (std::size_t rank = 0; rank < traffic.size(); ++rank)
                record.traffic[rank].elements += traffic[rank].elements;
    }
    outcome_.collectives.push_back(std::move(record));
    start_places(op);
}

void Interpreter::loops(ir::LoopsOp op) {
    mlir::Block &body = op.getBody().front();
    visit_all(body);
    for (auto [result, inside] : llvm::zip(op.getResults(), body.getTerminator()->getOperands())) {
        Parts parts = values_.find(inside)->second;
        values_[result] = std::move(parts);
    }
}

void Interpreter::call(mlir::func::CallOp op) {
    auto function = module_.lookupSymbol<mlir::func::FuncOp>(op.getCallee());
    mlir::Block &body = function.getBody().front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), op.getOperands())) {
        Parts parts = values_.find(operand)->second;
        values_[argument] = std::move(parts);
        same_place(argument, operand);
    }
    visit_all(body);
    for (auto [result, returned] : llvm::zip(op.getResults(), body.getTerminator()->getOperands())) {
        Parts parts = values_.find(returned)->second;
        values_[result] = std::move(parts);
        same_place(result, returned);
    }
}

void Interpreter::read(ir::ReadOp op) {
    ir::VariableOp source = variable(op, op.getVariableAttr());
    const auto home = mlir::cast<ir::TensorType>(source.getType());
    if (!(placement(op.getResult()) == ir::placement_of(home, axes_)))
        throw Failure("the value does not lie as the variable does");
    const std::string name = op.getVariable().str();
    values_[op.getResult()] = scatter(inputs_.variables.at(name), home, "variable '" + name + "'");
    if (buffers_)
        places_[op.getResult()] = variable_places_.at(name);
}

void Interpreter::write(ir::WriteOp op) {
    ir::VariableOp target = variable(op, op.getVariableAttr());
    const ir::TensorType type = type_of(op.getValue());
    if (!(ir::placement_of(type, axes_) == ir::placement_of(mlir::cast<ir::TensorType>(target.getType()), axes_)))
        throw Failure("the value does not lie as the variable does");
    const std::string name = op.getVariable().str();
    written_[name] = gather(values_.find(op.getValue())->second, type);
    if (!buffers_)
        return;
    const auto offset = target->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
    const int value = places_.lookup(op.getValue());
    const bool in_place = buffers_->offset(value) == offset;
    variable_places_[name] = in_place ? value : place(offset, type, "variable '" + name + "'");
}

void Interpreter::visit(mlir::Operation &op) {
    read_places(op);
    if (auto read_op = mlir::dyn_cast<ir::ReadOp>(op)) {
        read(read_op);
    } else if (auto store = mlir::dyn_cast<ir::WriteOp>(op)) {
        write(store);
    } else if (auto communication = mlir::dyn_cast<ir::CollectiveOp>(op)) {
        collective(communication);
    } else if (auto begin = mlir::dyn_cast<ir::StartOp>(op)) {
        start(begin);
    } else if (auto end = mlir::dyn_cast<ir::WaitOp>(op)) {
        if (buffers_)
            buffers_->wait(static_cast<std::int64_t>(end.getNumber()));
        for (auto [result, pending] : llvm::zip(end.getResults(), end.getPending())) {
            Parts parts = values_.find(pending)->second;
            values_[result] = std::move(parts);
            same_place(result, pending);
        }
    } else if (auto view = mlir::dyn_cast<ir::ViewOp>(op)) {
        Parts parts = values_.find(view.getOperand())->second;
        values_[view.getResult()] = std::move(parts);
        same_place(view.getResult(), view.getOperand());
    } else if (auto fused = mlir::dyn_cast<ir::LoopsOp>(op)) {
        loops(fused);
    } else if (auto stage = mlir::dyn_cast<mlir::func::CallOp>(op)) {
        call(stage);
    } else if (!mlir::isa<ir::ProgressOp, ir::YieldOp, mlir::func::ReturnOp>(op)) {
        nest(op);
    }
    write_places(op);
}

void Interpreter::visit_all(mlir::Block &block) {
    for (mlir::Operation &op : block) {
        try {
            visit(op);
        } catch (const Failure &failure) {
            const std::string text = failure.what();
            throw Failure(text.find("\n  at ") == std::string::npos ? text + "\n  at " + describe(&op) : text);
        }
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
    place_variables();
    place_arguments(function);
    mlir::Block &body = function.getBody().front();
    visit_all(body);
    for (mlir::Value value : body.getTerminator()->getOperands()) {
        outcome_.results.push_back(gather(values_.find(value)->second, type_of(value)));
        if (const auto at = places_.find(value); at != places_.end())
            buffers_->read(at->second);
    }
    for (const auto &[name, number] : variable_places_)
        buffers_->read(number);
    outcome_.variables = inputs_.variables;
    for (auto &[name, array] : written_)
        outcome_.variables[name] = std::move(array);
    return std::move(outcome_);
}

// --- places -------------------------------------------------------------------------------------------------------

int Interpreter::place(std::int64_t offset, ir::TensorType type, const std::string &name) {
    const std::int64_t elements = planrt::largest_volume(ir::placement_of(type, axes_), mesh_);
    return buffers_->write(offset, elements * element_bytes(type), name);
}

void Interpreter::place_variables() {
    const auto bytes = module_->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes");
    if (!bytes)
        return;
    buffers_.emplace(bytes.getInt());
    for (auto op : module_.getOps<ir::VariableOp>()) {
        const std::string name = op.getSymName().str();
        variable_places_[name] = place(op->getAttrOfType<mlir::IntegerAttr>("offset").getInt(),
                                       mlir::cast<ir::TensorType>(op.getType()), "variable '" + name + "'");
    }
}

void Interpreter::place_arguments(mlir::func::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments())
        if (const auto offset = function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), "plan.offset"))
            places_[argument] =
                place(offset.getInt(), type_of(argument), "input " + std::to_string(argument.getArgNumber()));
}

/// Everything that an operation reads from the arena is still there. A fused loop reads what its body reads.
void Interpreter::read_places(mlir::Operation &op) {
    if (!buffers_ || mlir::isa<ir::ViewOp, ir::WaitOp, mlir::func::CallOp, mlir::func::ReturnOp>(op))
        return;
    for (mlir::Value operand : op.getOperands())
        if (const auto at = places_.find(operand); at != places_.end())
            buffers_->read(at->second);
}

void Interpreter::write_places(mlir::Operation &op) {
    const auto offsets = op.getAttrOfType<mlir::DenseI64ArrayAttr>("offsets");
    if (!buffers_ || !offsets || mlir::isa<ir::StartOp>(op))
        return;
    for (auto [result, offset] : llvm::zip(op.getResults(), offsets.asArrayRef())) {
        if (!mlir::isa<mlir::func::CallOp>(op))
            places_[result] = place(offset, type_of(result), describe(&op));
        else if (buffers_->offset(places_.lookup(result)) != offset)
            throw Failure("the stage leaves its result elsewhere");
    }
}

void Interpreter::start_places(ir::StartOp op) {
    const auto offsets = op->getAttrOfType<mlir::DenseI64ArrayAttr>("offsets");
    if (!buffers_ || !offsets)
        return;
    std::vector<int> inputs;
    std::vector<int> outputs;
    for (mlir::Value input : op.getInputs())
        inputs.push_back(places_.lookup(input));
    for (auto [result, offset] : llvm::zip(op.getResults(), offsets.asArrayRef()))
        outputs.push_back(places_[result] = place(offset, type_of(result), describe(op)));
    const auto scratch = op->getAttrOfType<mlir::IntegerAttr>("scratch_offset");
    if (scratch)
        outputs.push_back(buffers_->write(scratch.getInt(),
                                          op->getAttrOfType<mlir::IntegerAttr>("scratch_bytes").getInt(),
                                          "scratch of collective " + std::to_string(op.getNumber())));
    for (const int input : inputs) // written over by the scratch, or by another member's result
        if (std::none_of(outputs.begin(), outputs.end(),
                         [&](int output) { return buffers_->offset(output) == buffers_->offset(input); }))
            buffers_->read(input);
    buffers_->start(static_cast<std::int64_t>(op.getNumber()), inputs, outputs);
}

void Interpreter::same_place(mlir::Value value, mlir::Value other) {
    if (const auto at = places_.find(other); at != places_.end()) {
        const int number = at->second;
        places_[value] = number;
    }
}

} // namespace

Outcome run(mlir::ModuleOp module, llvm::StringRef function, const Inputs &inputs) {
    auto found = module.lookupSymbol<mlir::func::FuncOp>(function);
    if (!found)
        throw Failure("there is no function @" + function.str());
    return Interpreter(module, inputs).run(found);
}

} // namespace planc::interpret
