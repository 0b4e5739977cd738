#include "spmd/extract.h"

#include "ir/edge_steps.h"
#include "ir/entry_functions.h"
#include "ir/nest.h"
#include "ir/pipeline_attribute.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"
#include "pipeline/weights.h"
#include "spmd/originals.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <map>

namespace planc::spmd {

namespace {

using sharding::Kernel;
using sharding::LayerId;
using sharding::OperationId;
using sharding::Phase;
using sharding::ValueId;
using sharding::ValueKind;

Phase phase_of(mlir::Operation *op) {
    static const std::map<std::string, Phase> phases{{"forward", Phase::forward},
                                                     {"loss", Phase::loss},
                                                     {"input gradient", Phase::input_gradient},
                                                     {"weight gradient", Phase::weight_gradient},
                                                     {"update", Phase::update},
                                                     {"recompute", Phase::recompute}};
    const auto name = op->getAttrOfType<mlir::StringAttr>("phase");
    const auto at = name ? phases.find(name.str()) : phases.end();
    return at == phases.end() ? Phase::forward : at->second;
}

std::string layer_of(mlir::Operation *op) {
    const auto layer = op->getAttrOfType<mlir::StringAttr>("layer");
    return layer ? layer.str() : "";
}

/// Every rank makes its own block of these.
bool is_free(mlir::Operation &op) {
    return mlir::isa<ir::IotaOp, ir::RandomOp, ir::StepOp>(op);
}

bool is_constant(mlir::Value value) {
    return value.getDefiningOp<ir::ConstantOp>() != nullptr;
}

std::string name_of(mlir::Operation &op) {
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op))
        return pointwise.getFunction().str();
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return "reduce " + reduce.getReduction().str();
    if (auto pool = mlir::dyn_cast<ir::PoolOp>(op))
        return "pool " + pool.getKind().str();
    if (auto attention = mlir::dyn_cast<ir::AttentionOp>(op))
        return "attention " + mlir::cast<mlir::StringAttr>(attention.getKinds()[0]).str();
    return op.getName().stripDialect().str();
}

Kernel kernel_of(mlir::Operation &op) {
    if (mlir::isa<ir::EinsumOp, ir::ConvOp>(op))
        return Kernel::contraction;
    if (mlir::isa<ir::SpmmOp, ir::EdgeReduceOp>(op))
        return Kernel::sparse_product;
    if (mlir::isa<ir::ReduceOp>(op))
        return Kernel::reduction;
    if (mlir::isa<ir::PoolOp, ir::MaxPoolOp>(op))
        return Kernel::window;
    if (mlir::isa<ir::AttentionOp>(op))
        return Kernel::attention;
    return mlir::isa<ir::EmbeddingOp, ir::EmbeddingGradientOp>(op) ? Kernel::look_up : Kernel::pointwise;
}

double extent(ir::TensorType type, llvm::StringRef role) {
    return static_cast<double>(type.getExtents()[static_cast<size_t>(type.find(role))]);
}

double flops_of(mlir::Operation &op) {
    if (mlir::isa<ir::EinsumOp, ir::ConvOp>(op)) // multiply the operands, add the product
        return std::max(1U, op.getNumOperands());
    if (mlir::isa<ir::SpmmOp>(op)) // the share of the points at which the matrix is not zero
        return 2 * ir::nest_of(&op).sparse->density;
    if (auto reduce = mlir::dyn_cast<ir::EdgeReduceOp>(op))
        return ir::flops_per_point(reduce);
    if (auto attention = mlir::dyn_cast<ir::AttentionOp>(op))
        return attention.flopsPerPoint();
    if (mlir::isa<ir::ReshapeOp, ir::SliceOp, ir::PadOp, ir::ConcatOp>(op)) // they move elements
        return 0;
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op)) {
        const ir::PointwiseFunction *function = ir::find_pointwise(pointwise.getFunction());
        return function == nullptr ? 1 : function->flops;
    }
    if (auto look_up = mlir::dyn_cast<ir::EmbeddingOp>(op)) // an addition for each element of the result
        return 1 / extent(look_up.getTable().getType(), look_up.getDimension());
    if (auto look_up = mlir::dyn_cast<ir::EmbeddingGradientOp>(op))
        return 1 / extent(look_up.getResult().getType(), look_up.getDimension());
    return 1;
}

class Extraction {
  public:
    explicit Extraction(mlir::func::FuncOp function) : function_(function) {}

    Extracted run() {
        for (mlir::BlockArgument argument : function_.getArguments()) {
            const bool received = ir::received_by(argument) >= 0;
            const auto name = function_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                                           received ? "plan.tensor" : "plan.input");
            add_value(argument, ValueKind::free, name ? name.str() : "input", {}, LayerId(0));
        }
        for (mlir::Operation &op : function_.getBody().front())
            visit(op);
        find_originals();
        follow_parameters();
        name_gradients();
        find_microbatches();
        return std::move(result_);
    }

  private:
    void visit(mlir::Operation &op) {
        if (mlir::isa<ir::ConstantOp>(op))
            return;
        if (auto read = mlir::dyn_cast<ir::ReadOp>(op)) {
            const ValueId value = add_value(read.getResult(), ValueKind::variable, read.getVariable().str(), {},
                                            layer(variable_layer(read)));
            result_.variable_of[read.getVariable()] = value;
        } else if (is_free(op)) {
            add_value(op.getResult(0), ValueKind::free, op.getName().stripDialect().str(), {}, layer(layer_of(&op)));
        } else if (auto write = mlir::dyn_cast<ir::WriteOp>(op)) {
            const auto value = mlir::cast<mlir::OpResult>(write.getValue());
            const OperationId producer = graph().values[result_.value_of.at(value)].producer;
            graph().operations[producer].writes[value.getResultNumber()] = result_.variable_of.at(write.getVariable());
        } else if (mlir::isa<mlir::func::ReturnOp>(op)) {
            const unsigned whole = ir::whole_results(function_);
            for (mlir::OpOperand &result : op.getOpOperands())
                if (!is_constant(result.get()))
                    (result.getOperandNumber() < whole ? graph().outputs : graph().sent)
                        .push_back(result_.value_of.at(result.get()));
        } else {
            add_operation(op);
        }
    }

    void add_operation(mlir::Operation &op) {
        sharding::Operation operation = operation_of(op);
        operation.layer = layer(layer_of(&op));
        if (const auto level = op.getAttrOfType<mlir::IntegerAttr>("level"))
            operation.level = static_cast<int>(level.getInt());
        if (const auto replica = op.getAttrOfType<mlir::IntegerAttr>("replica"))
            operation.replica = static_cast<int>(replica.getInt());
        std::vector<unsigned> numbers;
        std::vector<std::vector<int>> operand_loops;
        for (mlir::OpOperand &operand : op.getOpOperands()) {
            if (is_constant(operand.get()))
                continue;
            numbers.push_back(operand.getOperandNumber());
            operation.operands.push_back(result_.value_of.at(operand.get()));
            operand_loops.push_back(operation.nest.operands[operand.getOperandNumber()]);
        }
        operation.nest.operands = std::move(operand_loops);
        const OperationId number = graph().end_of_program();
        for (mlir::Value value : op.getResults())
            operation.results.push_back(
                add_value(value, ValueKind::computed, value_name(op, operation.phase), number, operation.layer));
        operation.writes.resize(operation.results.size());
        graph().operations.push_back(std::move(operation));
        result_.operations.push_back(&op);
        result_.operand_numbers.push_back(std::move(numbers));
    }

    ValueId add_value(mlir::Value value, ValueKind kind, std::string name, OperationId producer, LayerId owner) {
        const auto type = mlir::cast<ir::TensorType>(value.getType());
        sharding::Value added;
        added.name = std::move(name);
        for (mlir::StringAttr role : type.getRoles())
            added.roles.push_back(role.str());
        added.extents.assign(type.getExtents().begin(), type.getExtents().end());
        added.element_bytes = static_cast<int>(type.getElementType().getIntOrFloatBitWidth() / 8);
        added.kind = kind;
        added.producer = producer;
        added.layer = owner;
        const ValueId id = graph().values.push_back(std::move(added));
        result_.value_of[value] = id;
        return id;
    }

    LayerId layer(const std::string &name) {
        const auto [at, fresh] = layers_.emplace(name, graph().layers.end_id());
        if (fresh)
            graph().layers.push_back({name});
        return at->second;
    }

    void find_originals() {
        const Originals originals(function_);
        std::map<mlir::Operation *, OperationId> number;
        for (const OperationId o : graph().operations.ids()) {
            number[result_.operations[o]] = o;
            if (mlir::Operation *original = originals.of(result_.operations[o]))
                graph().operations[o].original = number.at(original);
        }
    }

    /// Finds the variable that an operation follows: from its attribute, or from what it accumulates.
    void follow_parameters() {
        for (const OperationId o : graph().operations.ids()) {
            mlir::Operation *op = result_.operations[o];
            llvm::StringRef name;
            if (const auto attribute = op->getAttrOfType<mlir::StringAttr>("parameter"))
                name = attribute.getValue();
            if (auto accumulate = mlir::dyn_cast<ir::AccumulateOp>(op)) {
                graph().operations[o].accumulates = true;
                llvm::StringRef summed = accumulate.getAccumulator();
                if (summed.consume_front("gradient of "))
                    name = summed;
                else if (name.empty())
                    continue;
            }
            if (const auto at = result_.variable_of.find(name); at != result_.variable_of.end())
                graph().operations[o].parameter = at->second;
        }
    }

    void find_microbatches() {
        auto module = function_->getParentOfType<mlir::ModuleOp>();
        const auto count = module ? module->getAttrOfType<mlir::IntegerAttr>("plan.microbatches") : mlir::IntegerAttr();
        if (count)
            graph().microbatches = static_cast<int>(count.getInt());
        graph().slots = module ? ir::slots_of(function_) : 1;
        if (module)
            graph().weights.updates = pipeline::updates_of_step(ir::updates_of(module), graph().microbatches);
        if (module && module->hasAttr("plan.keeps_best"))
            ++graph().weights.versions;
        sharding::PerValue<bool> accumulated(graph().values.size());
        for (sharding::Operation &operation : graph().operations) {
            operation.per_step = !operation.accumulates &&
                                 (operation.phase == Phase::update ||
                                  llvm::any_of(operation.operands, [&](ValueId value) { return accumulated[value]; }));
            for (const ValueId value : operation.results)
                accumulated[value] = operation.accumulates || operation.per_step;
        }
    }

    std::string variable_layer(ir::ReadOp read) {
        auto variable = symbols_.lookupNearestSymbolFrom<ir::VariableOp>(read, read.getVariableAttr());
        return variable && variable.getLayer() ? variable.getLayer()->str() : layer_of(read);
    }

    /// A forward value has its layer's name; gradients get theirs from their consumers, see name_gradients().
    static std::string value_name(mlir::Operation &op, Phase phase) {
        if (phase == Phase::update)
            return update_name(op);
        if (auto sum = mlir::dyn_cast<ir::AccumulateOp>(op); sum && sum.getDecay()) // of changes of a running statistic
            return sum.getAccumulator().str();
        return phase == Phase::forward || phase == Phase::loss || phase == Phase::recompute ? layer_of(&op) : "";
    }

    /// The name of what moves within an update: the new value of a variable, or a scalar on the way to a norm.
    static std::string update_name(mlir::Operation &op) {
        const auto parameter = op.getAttrOfType<mlir::StringAttr>("parameter");
        for (mlir::Operation *user : op.getUsers())
            if (auto write = mlir::dyn_cast<ir::WriteOp>(user))
                return write.getVariable().str();
        return parameter ? "norm of " + parameter.str() : "norm";
    }

    void name_gradients() {
        for (const sharding::Operation &operation : graph().operations) {
            for (size_t i = 0; i < operation.operands.size(); ++i) {
                sharding::Value &value = graph().values[operation.operands[i]];
                if (!value.name.empty())
                    continue;
                value.name = "gradient of " + (operation.parameter ? graph().values[operation.parameter].name
                                                                   : graph().layers[operation.layer].name);
            }
        }
        for (sharding::Value &value : graph().values)
            if (value.name.empty())
                value.name = graph().layers[value.layer].name;
    }

    sharding::Graph &graph() { return result_.graph; }

    mlir::func::FuncOp function_;
    mlir::SymbolTableCollection symbols_;
    Extracted result_;
    std::map<std::string, LayerId> layers_;
};

} // namespace

sharding::Operation operation_of(mlir::Operation &op) {
    sharding::Operation operation;
    operation.name = name_of(op);
    operation.phase = phase_of(&op);
    operation.kernel = kernel_of(op);
    operation.nest = ir::nest_of(&op);
    operation.flops_per_point = flops_of(op);
    if (auto spmm = mlir::dyn_cast<ir::SpmmOp>(op))
        operation.matrix = (spmm.getMean() ? "mean " : "") + spmm.getMatrix().str() + spmm.nameOfHalf().str() +
                           (spmm.matrixLoops().transposed ? " transposed" : "");
    if (auto reduce = mlir::dyn_cast<ir::EdgeReduceOp>(op))
        operation.matrix = reduce.getMatrix().str() + (reduce.isTransposed() ? " transposed" : "");
    return operation;
}

sharding::PerValue<mlir::Value> Extracted::ir_values() const {
    sharding::PerValue<mlir::Value> values(graph.values.size());
    for (const auto &[value, id] : value_of)
        values[id] = value;
    return values;
}

Extracted extract(mlir::func::FuncOp function) {
    return Extraction(function).run();
}

} // namespace planc::spmd
