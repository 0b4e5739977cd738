#include "interpret/interpret.h"

#include "interpret/collectives.h"
#include "interpret/evaluate.h"
#include "interpret/interpreter.h"
#include "ir/collective_kind.h"
#include "ir/entry_functions.h"
#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <bit>

namespace planc::interpret {

using ir::type_of;

namespace {

std::string describe(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, mlir::OpPrintingFlags().skipRegions());
    return text;
}

bool is_partial(const planrt::Placement &placement) {
    return !placement.partial.empty() || planrt::has_addends(placement);
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || a == b;
}

} // namespace

Parts Interpreter::scatter(const Array &whole, ir::TensorType type, const std::string &what) {
    const std::vector<std::int64_t> extents(type.getExtents().begin(), type.getExtents().end());
    if (whole.extents != extents || static_cast<std::int64_t>(whole.elements.size()) != type.elements())
        throw Failure(what + " is not of the declared shape");
    planrt::Box everything;
    for (std::int64_t extent : extents)
        everything.push_back({0, extent});
    Local all(everything);
    all.elements = whole.elements;
    const Layout &layout = layouts_.of(type);
    if (is_partial(layout.placement))
        throw Failure(what + " is laid out as a partial result");
    Parts parts;
    for (auto [box, stored] : llvm::zip(layout.boxes, layout.stored))
        parts.push_back(extract(all, box, stored));
    return parts;
}

Array Interpreter::gather(const Parts &parts, ir::TensorType type) {
    if (is_partial(layouts_.of(type).placement))
        throw Failure("a partial result leaves the program");
    Array whole{{type.getExtents().begin(), type.getExtents().end()}, {}};
    whole.elements.resize(static_cast<std::size_t>(type.elements()));
    planrt::Box everything;
    for (std::int64_t extent : whole.extents)
        everything.push_back({0, extent});
    for (const Local &part : parts)
        for_each_offset(everything, part.box, [&](std::size_t at, std::size_t local) {
            if (part.has(local))
                whole.elements[at] = part.at(local);
        });
    return whole;
}

/// Ranks that have the same block and the same coordinates along partial axes hold the same bits.
void Interpreter::check_replicas(const Parts &parts, ir::TensorType type) {
    const Layout &layout = layouts_.of(type);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        const int other = layout.replica_of[rank];
        if (!std::equal(parts[rank].elements.begin(), parts[rank].elements.end(),
                        parts[static_cast<std::size_t>(other)].elements.begin(), same_bits))
            throw Failure("replicas differ on ranks " + std::to_string(other) + " and " + std::to_string(rank));
    }
}

void Interpreter::nest(mlir::Operation &op) {
    std::vector<Parts> results(op.getNumResults());
    const Moment moment{inputs_.step, inputs_.seed, inputs_.first_sample, &inputs_.matrices};
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        std::vector<const Local *> operands;
        for (mlir::Value operand : op.getOperands())
            operands.push_back(&values_.find(operand)->second[static_cast<std::size_t>(rank)]);
        std::vector<Local> made;
        for (mlir::Value result : op.getResults()) {
            const Layout &layout = layouts_.of(type_of(result));
            made.emplace_back(layout.boxes[static_cast<std::size_t>(rank)],
                              layout.stored[static_cast<std::size_t>(rank)]);
        }
        evaluate(&op, operands, made, moment);
        for (std::size_t i = 0; i < made.size(); ++i)
            results[i].push_back(std::move(made[i]));
    }
    for (auto [result, parts] : llvm::zip(op.getResults(), results)) {
        check_replicas(parts, type_of(result));
        values_[result] = std::move(parts);
    }
}

Parts Interpreter::communicate(llvm::StringRef word, mlir::ArrayAttr names, mlir::Value from, mlir::Value to,
                               std::vector<planrt::Traffic> &traffic) {
    const planrt::CollectiveKind kind = ir::collective_kind(word).value();
    std::vector<int> axes;
    for (mlir::Attribute name : names)
        axes.push_back(ir::axis_index(layouts_.axes(), mlir::cast<mlir::StringAttr>(name).getValue()));
    Communicated done =
        interpret::communicate(kind, axes, placement(from), placement(to), mesh_, values_.find(from)->second);
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const planrt::Traffic predicted = planrt::traffic(kind, placement(from), placement(to), mesh_, rank);
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
    places_.start(op);
}

/// `to` is the same value in the same place.
void Interpreter::pass_on(mlir::Value from, mlir::Value to) {
    Parts parts = values_.find(from)->second;
    values_[to] = std::move(parts);
    places_.same(to, from);
}

/// Gives the same elements the boxes of the result.
void Interpreter::view(ir::ViewOp op) {
    pass_on(op.getOperand(), op.getResult());
    const Layout &layout = layouts_.of(op.getResult().getType());
    for (auto [part, box] : llvm::zip(values_.find(op.getResult())->second, layout.boxes)) {
        if (planrt::volume(part.box) != planrt::volume(box))
            throw Failure("a view has other elements than its operand");
        part.box = box;
    }
}

void Interpreter::loops(ir::LoopsOp op) {
    mlir::Block &body = op.getBody().front();
    visit_all(body);
    for (auto [result, inside] : llvm::zip(op.getResults(), body.getTerminator()->getOperands())) {
        pass_on(inside, result);
    }
}

void Interpreter::read(ir::ReadOp op) {
    ir::VariableOp source = variables_.lookup(op.getVariableAttr().getAttr());
    const auto home = mlir::cast<ir::TensorType>(source.getType());
    if (!(placement(op.getResult()) == layouts_.of(home).placement))
        throw Failure("the value does not lie as the variable does");
    const std::string name = op.getVariable().str();
    if (source->hasAttr("accumulator"))
        values_[op.getResult()] = sum_so_far(name, home);
    else if (const auto array = inputs_.variables.find(name); array != inputs_.variables.end())
        values_[op.getResult()] = scatter(array->second, home, "variable '" + name + "'");
    else
        throw Failure("variable '" + name + "' has no value");
    places_.read_variable(op);
}

Parts Interpreter::sum_so_far(const std::string &name, ir::TensorType home) {
    const Layout &layout = layouts_.of(home);
    Parts parts;
    for (auto [box, stored] : llvm::zip(layout.boxes, layout.stored))
        parts.emplace_back(box, stored);
    if (const auto known = inputs_.accumulators.find(name); known != inputs_.accumulators.end())
        for (auto [part, elements] : llvm::zip(parts, known->second))
            part.elements = elements;
    return parts;
}

void Interpreter::write(ir::WriteOp op) {
    ir::VariableOp target = variables_.lookup(op.getVariableAttr().getAttr());
    const ir::TensorType type = type_of(op.getValue());
    if (!(layouts_.of(type).placement == layouts_.of(mlir::cast<ir::TensorType>(target.getType())).placement))
        throw Failure("the value does not lie as the variable does");
    const std::string name = op.getVariable().str();
    const Parts &parts = values_.find(op.getValue())->second;
    if (target->hasAttr("accumulator")) {
        auto &elements = accumulated_[name];
        elements.clear();
        for (const Local &part : parts)
            elements.push_back(part.elements);
    } else {
        written_[name] = gather(parts, type);
    }
    places_.write_variable(op);
}

void Interpreter::visit(mlir::Operation &op) {
    places_.before(op);
    if (auto read_op = mlir::dyn_cast<ir::ReadOp>(op)) {
        read(read_op);
    } else if (auto store = mlir::dyn_cast<ir::WriteOp>(op)) {
        write(store);
    } else if (auto communication = mlir::dyn_cast<ir::CollectiveOp>(op)) {
        collective(communication);
    } else if (auto begin = mlir::dyn_cast<ir::StartOp>(op)) {
        start(begin);
    } else if (auto end = mlir::dyn_cast<ir::WaitOp>(op)) {
        places_.wait(end);
        for (auto [result, pending] : llvm::zip(end.getResults(), end.getPending())) {
            pass_on(pending, result);
        }
    } else if (auto same = mlir::dyn_cast<ir::ViewOp>(op)) {
        view(same);
    } else if (auto fused = mlir::dyn_cast<ir::LoopsOp>(op)) {
        loops(fused);
    } else if (!mlir::isa<ir::ProgressOp, ir::YieldOp, mlir::func::ReturnOp>(op)) {
        nest(op);
    }
    places_.after(op);
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

void Interpreter::load(mlir::BlockArgument argument) {
    auto function = mlir::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
    const auto field = inputs_.fields.find(name ? name.str() : "");
    if (field == inputs_.fields.end())
        throw Failure("argument " + std::to_string(argument.getArgNumber()) + " has no value");
    values_[argument] = scatter(field->second, type_of(argument), "input '" + field->first + "'");
}

void Interpreter::visit_body(mlir::func::FuncOp function) {
    visit_all(function.getBody().front());
    for (auto &[name, array] : written_)
        inputs_.variables[name] = std::move(array);
    for (auto &[name, elements] : accumulated_)
        inputs_.accumulators[name] = std::move(elements);
    written_.clear();
    accumulated_.clear();
}

Outcome Interpreter::run(mlir::func::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments())
        if (ir::received_by(argument) < 0)
            load(argument);
    places_.place_arguments(function);
    visit_body(function);
    const auto results = function.getBody().front().getTerminator()->getOperands();
    for (mlir::Value value : results)
        outcome_.results.push_back(gather(values_.find(value)->second, type_of(value)));
    places_.check_end(results);
    outcome_.variables = std::move(inputs_.variables);
    outcome_.accumulators = std::move(inputs_.accumulators);
    return std::move(outcome_);
}

Outcome run(mlir::ModuleOp module, llvm::StringRef function, const Inputs &inputs) {
    auto found = module.lookupSymbol<mlir::func::FuncOp>(function);
    if (!found)
        throw Failure("there is no function @" + function.str());
    return Interpreter(module, ir::mesh_attribute(module), 0, {}, inputs).run(found);
}

} // namespace planc::interpret
