#include "spmd/materialize.h"

#include "ir/collective_kind.h"
#include "ir/entry_functions.h"
#include "ir/method.h"
#include "ir/pipeline_attribute.h"
#include "ir/placement.h"
#include "sharding/copy_levels.h"
#include "sharding/joint_sums.h"
#include "spmd/accumulators.h"
#include "spmd/split_stages.h"
#include "spmd/strategies.h"

#include <algorithm>
#include <numeric>

namespace planc::spmd {

using mlir::Value;
using sharding::Copy;
using sharding::LaidOut;
using sharding::LayerStrategy;
using sharding::OperationId;
using sharding::ValueId;

namespace {

/// Rebuilds one function with layouts, in place of the old one.
class Materializer {
  public:
    Materializer(mlir::func::FuncOp function, const Extracted &extracted, const LaidOut &laid_out,
                 const ChooseMethod &method)
        : old_(function), mesh_(ir::mesh_of_ranks(function)), extracted_(extracted), laid_out_(laid_out),
          method_(method), builder_(function) {
        ranks_ = ir::ranks_of_role(function->getParentOfType<mlir::ModuleOp>(), ir::role_of(function));
    }

    void run() {
        std::vector<sharding::Bucket> buckets = sharding::buckets(extracted_.graph, laid_out_, ir::mesh_of(mesh_));
        for (sharding::Bucket &call : sharding::joint_sums(extracted_.graph, laid_out_, ir::mesh_of(mesh_)))
            buckets.push_back(std::move(call));
        for (size_t i = 0; i < buckets.size(); ++i)
            for (const sharding::BucketMember &member : buckets[i].members)
                bucket_of_[{member.value, member.copy}] = static_cast<int>(i);
        copy_levels_ = sharding::copy_levels(extracted_.graph, laid_out_);
        new_ = mlir::func::FuncOp::create(old_.getLoc(), old_.getName(), builder_.getFunctionType({}, {}));
        for (mlir::NamedAttribute attribute : old_->getAttrs())
            if (attribute.getName() != "function_type" && attribute.getName() != "arg_attrs")
                new_->setAttr(attribute.getName(), attribute.getValue());
        builder_.insert(new_);
        mlir::Block *body = new_.addEntryBlock();
        add_arguments(*body);
        builder_.setInsertionPointToEnd(body);
        for (mlir::Operation &op : old_.getBody().front())
            visit(op);
        finish_signature(*body);
        old_.erase();
    }

  private:
    /// One argument for each layout in which an input is needed whole.
    void add_arguments(mlir::Block &body) {
        llvm::SmallVector<mlir::Attribute> attributes;
        for (mlir::BlockArgument argument : old_.getArguments()) {
            const ValueId value = extracted_.value_of.at(argument);
            for (size_t i = 0; i < copies(value).size(); ++i) {
                if (copies(value)[i].source >= 0)
                    continue; // a share of another one
                made_[{value, static_cast<int>(i)}] =
                    body.addArgument(type(argument, copies(value)[i].placement), argument.getLoc());
                const auto own = old_.getArgAttrDict(argument.getArgNumber());
                attributes.push_back(own ? own : builder_.getDictionaryAttr({}));
            }
        }
        argument_attributes_ = builder_.getArrayAttr(attributes);
    }

    void visit(mlir::Operation &op) {
        location_ = op.getLoc();
        if (mlir::isa<ir::ConstantOp>(op)) {
            Value constant = builder_.clone(op)->getResult(0);
            constant.setType(type(constant, {}));
            constants_[op.getResult(0)] = constant;
        } else if (mlir::isa<ir::ReadOp>(op)) {
            const ValueId value = extracted_.value_of.at(op.getResult(0));
            made_[{value, 0}] = clone_source(op, copies(value).front());
        } else if (mlir::isa<ir::IotaOp, ir::RandomOp, ir::StepOp>(op)) {
            const ValueId value = extracted_.value_of.at(op.getResult(0));
            for (size_t i = 0; i < copies(value).size(); ++i)
                made_[{value, static_cast<int>(i)}] = clone_source(op, copies(value)[i]);
        } else if (auto write = mlir::dyn_cast<ir::WriteOp>(op)) {
            const ValueId value = extracted_.value_of.at(write.getValue());
            const OperationId producer = extracted_.graph.values[value].producer;
            const auto result = mlir::cast<mlir::OpResult>(write.getValue()).getResultNumber();
            const Value stored = copy(value, laid_out_.operations[producer].result_copy[result]);
            builder_.clone(op)->setOperand(0, stored);
        } else if (mlir::isa<mlir::func::ReturnOp>(op)) {
            visit_return(op);
        } else {
            visit_nest(op);
        }
    }

    Value clone_source(mlir::Operation &op, const Copy &copy) {
        Value made = builder_.clone(op)->getResult(0);
        made.setType(type(op.getResult(0), copy.placement));
        return made;
    }

    void visit_nest(mlir::Operation &op) {
        const sharding::Operation &operation = extracted_.graph.operations[next_operation_];
        const sharding::LaidOutOperation &laid_out = laid_out_.operations[next_operation_];
        llvm::SmallVector<Value> operands;
        for (Value operand : op.getOperands())
            operands.push_back(constants_.lookup(operand));
        for (size_t i = 0; i < operation.operands.size(); ++i)
            operands[extracted_.operand_numbers[next_operation_][i]] =
                copy(operation.operands[i], laid_out.operand_copy[i]);
        mlir::Operation *clone = builder_.clone(op);
        clone->setOperands(operands);
        clone->setAttr("strategy", strategy(laid_out.strategy, operation.nest));
        for (size_t i = 0; i < operation.results.size(); ++i) {
            Value made = clone->getResult(static_cast<unsigned>(i));
            made.setType(type(op.getResult(static_cast<unsigned>(i)), laid_out.results[i]));
            made_[{operation.results[i], 0}] = made;
        }
        ++next_operation_;
    }

    void visit_return(mlir::Operation &op) {
        llvm::SmallVector<Value> results;
        const unsigned whole = ir::whole_results(old_);
        size_t output = 0;
        size_t sent = 0;
        for (mlir::OpOperand &result : op.getOpOperands()) {
            if (const Value constant = constants_.lookup(result.get())) {
                results.push_back(constant);
            } else if (result.getOperandNumber() < whole) {
                results.push_back(copy(extracted_.graph.outputs[output], laid_out_.output_copy[output]));
                ++output;
            } else {
                results.push_back(copy(extracted_.graph.sent[sent], laid_out_.sent_copy[sent]));
                ++sent;
            }
        }
        builder_.create<mlir::func::ReturnOp>(op.getLoc(), results);
    }

    /// A copy of a value, with the collectives that make it; each one is made where it is first needed.
    Value copy(ValueId value, int index) {
        const auto at = made_.find({value, index});
        if (at != made_.end())
            return at->second;
        const Copy &wanted = copies(value)[static_cast<size_t>(index)];
        Value made = copy(value, wanted.source);
        for (const sharding::Step &step : wanted.steps) {
            llvm::SmallVector<llvm::StringRef> axes;
            for (int axis : step.axes)
                axes.push_back(mesh_.getNames()[static_cast<size_t>(axis)].getValue());
            auto collective = builder_.create<ir::CollectiveOp>(
                location_, type(made, step.to), builder_.getStringAttr(ir::word_of(step.kind)), made,
                builder_.getStrArrayAttr(axes), builder_.getStringAttr(extracted_.graph.layers[wanted.layer].name),
                builder_.getStringAttr(sharding::name(wanted.phase)), ir::StrategyAttr());
            collective->setAttr("tensor", builder_.getStringAttr(extracted_.graph.values[value].name));
            ir::set_level(collective, copy_levels_[value][static_cast<size_t>(index)]);
            if (const auto bucket = bucket_of_.find({value, index}); bucket != bucket_of_.end())
                collective->setAttr("bucket", builder_.getI64IntegerAttr(bucket->second));
            if (method_)
                ir::set_method(collective, method_(ranks_, extracted_.graph, value, wanted, step));
            made = collective.getResult();
        }
        made_[{value, index}] = made;
        return made;
    }

    ir::StrategyAttr strategy(const sharding::Strategy &strategy, const sharding::Nest &nest) {
        llvm::SmallVector<mlir::StringAttr> loops;
        llvm::SmallVector<mlir::StringAttr> axes;
        for (int axis : strategy.order) {
            const int loop = strategy.loop_of_axis[static_cast<size_t>(axis)];
            if (loop < 0)
                continue;
            loops.push_back(builder_.getStringAttr(nest.loops[static_cast<size_t>(loop)].name));
            axes.push_back(mesh_.getNames()[static_cast<size_t>(axis)]);
        }
        return ir::StrategyAttr::get(builder_.getContext(), loops, axes);
    }

    ir::TensorType type(Value value, const planrt::Placement &placement) {
        const auto plain = mlir::cast<ir::TensorType>(value.getType());
        return plain.withLayout(ir::layout_of(placement, plain, mesh_));
    }

    void finish_signature(mlir::Block &body) {
        mlir::Operation *terminator = body.getTerminator();
        new_.setFunctionType(builder_.getFunctionType(body.getArgumentTypes(), terminator->getOperandTypes()));
        if (!argument_attributes_.empty())
            new_->setAttr("arg_attrs", argument_attributes_);
    }

    const std::vector<Copy> &copies(ValueId value) const { return laid_out_.copies[value]; }

    mlir::func::FuncOp old_;
    mlir::func::FuncOp new_;
    ir::MeshAttr mesh_; ///< of the ranks that run the function
    planrt::Role ranks_;
    const Extracted &extracted_;
    const LaidOut &laid_out_;
    const ChooseMethod &method_;
    mlir::OpBuilder builder_;
    mlir::Location location_ = builder_.getUnknownLoc();
    mlir::ArrayAttr argument_attributes_;
    OperationId next_operation_{0};
    std::map<std::pair<ValueId, int>, Value> made_;    ///< by value and copy
    std::map<std::pair<ValueId, int>, int> bucket_of_; ///< by value and copy
    sharding::PerValue<std::vector<int>> copy_levels_;
    llvm::DenseMap<Value, Value> constants_;
};

/// Homes of the variables: the function that updates decides, the others follow.
using Homes = std::map<std::string, planrt::Placement>;

/// The homes of the variables that were laid out before.
Homes known_homes(mlir::ModuleOp module) {
    Homes homes;
    for (auto variable : module.getOps<ir::VariableOp>())
        if (const auto type = mlir::cast<ir::TensorType>(variable.getType()); type.getLayout())
            homes.emplace(variable.getSymName().str(), ir::placement_of(type, ir::mesh_attribute(module)));
    return homes;
}

void materialize_function(mlir::ModuleOp module, mlir::func::FuncOp function,
                          const std::map<std::string, LayerStrategy> &strategies, Homes &homes,
                          const ChooseMethod &method) {
    Extracted extracted = extract(function);
    for (auto [variable, value] : extracted.variable_of)
        if (const auto home = homes.find(variable.str()); home != homes.end())
            extracted.graph.values[value].home = home->second;
    const ir::MeshAttr mesh = ir::mesh_of_ranks(function);
    sharding::LayerStrategies layers;
    LayerStrategy replicated;
    replicated.loop_of_axis.resize(mesh.getNames().size());
    replicated.order.resize(mesh.getNames().size());
    std::iota(replicated.order.begin(), replicated.order.end(), 0);
    for (const sharding::Layer &layer : extracted.graph.layers) {
        const auto at = strategies.find(layer.name);
        layers.push_back(at == strategies.end() ? replicated : at->second);
    }
    const planrt::Mesh ranks = ir::mesh_of(mesh);
    const LaidOut laid_out = sharding::lay_out(extracted.graph, ranks, layers, storage_of(module));
    for (auto [variable, value] : extracted.variable_of)
        homes.emplace(variable.str(), laid_out.copies[value].front().placement);
    Materializer(function, extracted, laid_out, method).run();
}

/// First the functions that update, then those of other micro-batches, evaluation and prediction.
std::vector<mlir::func::FuncOp> in_order(mlir::ModuleOp module) {
    std::vector<mlir::func::FuncOp> functions = ir::entry_functions(module);
    std::stable_partition(functions.begin(), functions.end(),
                          [](auto function) { return ir::is_training(function) && !ir::accumulates(function); });
    return functions;
}

} // namespace

mlir::LogicalResult materialize(mlir::ModuleOp module, const ChooseMethod &method) {
    if (failed(check_storage(module)))
        return mlir::failure();
    if (failed(split_stages(module)))
        return mlir::failure();
    const auto strategies = strategies_of(module);
    Homes homes = known_homes(module);
    for (mlir::func::FuncOp function : in_order(module))
        materialize_function(module, function, strategies, homes, method);
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    for (auto variable : module.getOps<ir::VariableOp>()) {
        const auto type = mlir::cast<ir::TensorType>(variable.getType());
        const auto home = homes.find(variable.getSymName().str());
        const planrt::Placement placement =
            home == homes.end() ? ir::placement_of(type.withoutLayout(), mesh) : home->second;
        variable.setType(type.withLayout(ir::layout_of(placement, type, mesh)));
    }
    return expand_accumulates(module);
}

} // namespace planc::spmd
