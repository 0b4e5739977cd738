#include "interpret/interpret.h"

#include "interpret/collectives.h"
#include "interpret/kernels.h"
#include "ir/placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::interpret {

namespace {

using mlir::Value;

/// Thrown inside this file only; run() turns it into Outcome::error.
struct Failure {
    std::string text;
};

std::string describe(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    return text;
}

const std::map<std::string, planrt::CollectiveKind> kinds{{"slice", planrt::CollectiveKind::slice},
                                                          {"all_gather", planrt::CollectiveKind::all_gather},
                                                          {"reduce_scatter", planrt::CollectiveKind::reduce_scatter},
                                                          {"all_reduce", planrt::CollectiveKind::all_reduce},
                                                          {"all_to_all", planrt::CollectiveKind::all_to_all},
                                                          {"exchange", planrt::CollectiveKind::exchange}};

class Interpreter {
  public:
    Interpreter(mlir::ModuleOp module, const Arrays &inputs, Arrays variables, std::int64_t step)
        : module_(module), mesh_attribute_(ir::mesh_attribute(module)), mesh_(ir::mesh_of(mesh_attribute_)),
          inputs_(inputs), step_(step) {
        outcome_.variables = std::move(variables);
        written_ = outcome_.variables;
    }

    Outcome run(mlir::StringRef name) {
        auto function = module_.lookupSymbol<mlir::func::FuncOp>(name);
        if (!function)
            throw Failure{"there is no function @" + name.str()};
        std::vector<Blocks> arguments;
        for (mlir::BlockArgument argument : function.getArguments()) {
            const auto input = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            const auto whole = input ? inputs_.find(input.str()) : inputs_.end();
            if (whole == inputs_.end())
                throw Failure{"no array is given for argument " + std::to_string(argument.getArgNumber())};
            arguments.push_back(distribute(whole->second, tensor(argument)));
        }
        const std::vector<Blocks> results = call(function, arguments);
        for (const auto &[blocks, type] : llvm::zip(results, function.getResultTypes()))
            outcome_.results.push_back(assemble(blocks, mlir::cast<ir::TensorType>(type), "a result"));
        outcome_.variables = std::move(written_);
        return std::move(outcome_);
    }

  private:
    std::vector<Blocks> call(mlir::func::FuncOp function, const std::vector<Blocks> &arguments) {
        for (const auto &[argument, blocks] : llvm::zip(function.getArguments(), arguments))
            values_[argument] = blocks;
        for (mlir::Operation &op : function.getBody().front()) {
            if (!mlir::isa<mlir::func::ReturnOp>(op)) {
                visit(op);
                continue;
            }
            std::vector<Blocks> results;
            for (Value value : op.getOperands())
                results.push_back(values_.at(value));
            return results;
        }
        return {};
    }

    void visit(mlir::Operation &op) {
        if (auto read = mlir::dyn_cast<ir::ReadOp>(op))
            visit_read(read);
        else if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
            visit_write(write);
        else if (auto collective = mlir::dyn_cast<ir::CollectiveOp>(op))
            values_[collective.getResult()] = communicate(op, collective.getKind(), collective.getAxes(),
                                                          collective.getOperand(), collective.getResult());
        else if (auto call_op = mlir::dyn_cast<mlir::func::CallOp>(op))
            visit_call(call_op);
        else if (!visit_schedule(op))
            visit_kernel(op);
    }

    void visit_read(ir::ReadOp read) {
        const auto whole = outcome_.variables.find(read.getVariable().str());
        if (whole == outcome_.variables.end())
            throw Failure{"no array is given for variable '" + read.getVariable().str() + "'"};
        values_[read.getResult()] = distribute(whole->second, tensor(read.getResult()));
    }

    void visit_write(ir::WriteOp write) {
        const std::string name = write.getVariable().str();
        auto variable = module_.lookupSymbol<ir::VariableOp>(name);
        const auto home = mlir::cast<ir::TensorType>(variable.getType());
        if (tensor(write.getValue()).getLayout() != home.getLayout())
            throw Failure{"variable '" + name + "' is written in another layout than its home"};
        written_[name] = assemble(values_.at(write.getValue()), home, "variable '" + name + "'");
    }

    void visit_call(mlir::func::CallOp op) {
        std::vector<Blocks> arguments;
        for (Value operand : op.getOperands())
            arguments.push_back(values_.at(operand));
        const auto results = call(module_.lookupSymbol<mlir::func::FuncOp>(op.getCallee()), arguments);
        for (const auto &[value, blocks] : llvm::zip(op.getResults(), results))
            values_[value] = blocks;
    }

    /// Operations of the schedule. A start moves its data at once: what it may not touch until the wait is the
    /// schedule's own promise, which its verifier checks.
    bool visit_schedule(mlir::Operation &op) {
        if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
            for (const auto &[input, result] : llvm::zip(start.getInputs(), start.getResults()))
                values_[result] = communicate(op, start.getKind(), start.getAxes(), input, result);
        } else if (auto wait = mlir::dyn_cast<ir::WaitOp>(op)) {
            for (const auto &[pending, result] : llvm::zip(wait.getPending(), wait.getResults()))
                values_[result] = values_.at(pending);
        } else if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op)) {
            for (mlir::Operation &inner : loops.getBody().front().without_terminator())
                visit(inner);
            mlir::Operation *yield = loops.getBody().front().getTerminator();
            for (const auto &[value, result] : llvm::zip(yield->getOperands(), loops.getResults()))
                values_[result] = values_.at(value);
        } else if (auto view = mlir::dyn_cast<ir::ViewOp>(op)) {
            values_[view.getResult()] = values_.at(view.getOperand());
        } else {
            return mlir::isa<ir::ProgressOp>(op);
        }
        return true;
    }

    void visit_kernel(mlir::Operation &op) {
        std::vector<Blocks> results(op.getNumResults());
        for (std::size_t rank = 0; rank < ranks(); ++rank) {
            KernelCall call{&op, {}, {}, step_};
            for (Value operand : op.getOperands())
                call.operands.push_back(&values_.at(operand)[rank]);
            for (Value result : op.getResults())
                call.results.push_back(box(tensor(result), rank));
            std::string error;
            std::vector<Block> blocks = compute(call, error);
            if (!error.empty())
                throw Failure{error + ": " + describe(&op)};
            for (std::size_t i = 0; i < blocks.size(); ++i)
                results[i].push_back(std::move(blocks[i]));
        }
        for (const auto &[value, blocks] : llvm::zip(op.getResults(), results))
            values_[value] = blocks;
    }

    Blocks communicate(mlir::Operation &op, mlir::StringRef kind_name, mlir::ArrayAttr axis_names, Value from,
                       Value to) {
        const planrt::CollectiveKind kind = kinds.at(kind_name.str());
        std::vector<int> axes;
        for (mlir::Attribute name : axis_names)
            axes.push_back(ir::axis_index(mesh_attribute_, mlir::cast<mlir::StringAttr>(name)));
        const planrt::Placement from_placement = ir::placement_of(tensor(from), mesh_attribute_);
        const planrt::Placement to_placement = ir::placement_of(tensor(to), mesh_attribute_);
        Moved moved = move(kind, axes, values_.at(from), from_placement, to_placement, mesh_);
        Counted counted{text_attribute(op, "layer"), text_attribute(op, "phase"), kind_name.str(), moved.traffic};
        for (std::size_t rank = 0; rank < ranks(); ++rank)
            if (!(planrt::traffic(kind, from_placement, to_placement, mesh_, static_cast<int>(rank)) ==
                  moved.traffic[rank]))
                throw Failure{"rank " + std::to_string(rank) +
                              " moved something else than predicted: " + describe(&op)};
        outcome_.traffic.push_back(std::move(counted));
        return std::move(moved.blocks);
    }

    static std::string text_attribute(mlir::Operation &op, mlir::StringRef name) {
        const auto attribute = op.getAttrOfType<mlir::StringAttr>(name);
        return attribute ? attribute.str() : "";
    }

    Blocks distribute(const Array &whole, ir::TensorType type) {
        if (!std::equal(whole.extents.begin(), whole.extents.end(), type.getExtents().begin(), type.getExtents().end()))
            throw Failure{"an array has another shape than its tensor"};
        Blocks blocks;
        for (std::size_t rank = 0; rank < ranks(); ++rank)
            blocks.push_back(cut(whole, box(type, rank)));
        return blocks;
    }

    Array assemble(const Blocks &blocks, ir::TensorType type, const std::string &what) {
        if (type.getLayout() && !type.getLayout().getPartial().empty())
            throw Failure{what + " is a partial sum"};
        Array whole = make_array({type.getExtents().begin(), type.getExtents().end()});
        planrt::Box all;
        for (std::int64_t extent : type.getExtents())
            all.push_back({0, extent});
        Block together{all, std::move(whole.values)};
        std::vector<bool> seen(together.values.size());
        for (const Block &block : blocks) {
            for_each_point(block.box, [&](const std::vector<std::int64_t> &point) {
                const std::size_t at = offset(together, point);
                const double value = block.values[offset(block, point)];
                if (seen[at] && together.values[at] != value)
                    throw Failure{"replicas of " + what + " differ"};
                seen[at] = true;
                together.values[at] = value;
            });
        }
        whole.values = std::move(together.values);
        return whole;
    }

    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(mesh_.ranks()); }
    static ir::TensorType tensor(Value value) { return mlir::cast<ir::TensorType>(value.getType()); }
    planrt::Box box(ir::TensorType type, std::size_t rank) {
        return planrt::local_box(ir::placement_of(type, mesh_attribute_), mesh_, static_cast<int>(rank));
    }

    mlir::ModuleOp module_;
    ir::MeshAttr mesh_attribute_;
    planrt::Mesh mesh_;
    const Arrays &inputs_;
    std::int64_t step_;
    Outcome outcome_;
    Arrays written_; ///< variables after the step: reads see those before it
    llvm::DenseMap<Value, Blocks> values_;
};

} // namespace

Outcome run(mlir::ModuleOp module, mlir::StringRef function, const Arrays &inputs, const Arrays &variables,
            std::int64_t step) {
    try {
        return Interpreter(module, inputs, variables, step).run(function);
    } catch (const Failure &failure) {
        Outcome outcome;
        outcome.error = failure.text;
        return outcome;
    }
}

} // namespace planc::interpret
