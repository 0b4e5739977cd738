#include "spmd/split_stages.h"

#include "ir/entry_functions.h"
#include "program/slots.h"
#include "spmd/replicas.h"
#include "spmd/stage_recomputation.h"
#include "spmd/stage_sums.h"
#include "spmd/stage_variables.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#include <algorithm>
#include <map>
#include <string>

namespace planc::spmd {

using sharding::Crossing;
using sharding::OperationId;
using sharding::ValueId;

namespace {

/// Cuts one function.
class Split {
  public:
    Split(mlir::func::FuncOp function, Extracted extracted, sharding::StagedGraph staged,
          const pipeline::Schedule &schedule, const StageVariables &variables)
        : function_(function), extracted_(std::move(extracted)), staged_(std::move(staged)), schedule_(schedule),
          slots_(program::slots_of(schedule)), variables_(variables), builder_(function) {
        for (const Crossing &crossing : staged_.crossings) {
            const auto next = static_cast<int>(numbers_.size());
            numbers_.try_emplace(crossing.value, next);
        }
        for (const auto &[value, id] : extracted_.value_of)
            ir_value_[id] = value;
    }

    void run() {
        for (int part = 0; part < schedule_.parts(); ++part)
            if (has_replica(part / schedule_.stages))
                make(part);
        function_.erase();
    }

  private:
    /// Evaluation and prediction have replica 0 only, and so may a kind of micro-batch.
    [[nodiscard]] bool has_replica(int replica) const {
        const auto samples = function_->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.replica_samples");
        return samples ? samples[replica] > 0 : replica == 0;
    }

    [[nodiscard]] std::int64_t samples() {
        const auto samples = function_->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.replica_samples");
        return samples ? samples[stage_ / schedule_.stages] : ir::samples_of(function_);
    }

    /// Source operations are copied to each stage that uses them, when it first does.
    void make(int stage) {
        map_.clear();
        stage_ = stage;
        made_ = mlir::func::FuncOp::create(function_.getLoc(), name(), builder_.getFunctionType({}, {}));
        for (const char *kept : {"plan.purpose", "plan.accumulates", "plan.kind", "plan.begins"})
            if (mlir::Attribute value = function_->getAttr(kept))
                made_->setAttr(kept, value);
        made_->setAttr("plan.stage", builder_.getI64IntegerAttr(stage));
        made_->setAttr("plan.role", builder_.getI64IntegerAttr(schedule_.rank_of_part(stage)));
        const int slots = program::slot_count(slots_[static_cast<size_t>(ir::role_of(made_))]);
        if (ir::is_training(function_) && slots > 1)
            made_->setAttr("plan.slots", builder_.getI64IntegerAttr(slots));
        if (ir::is_training(function_) && defers_weight_gradients())
            made_->setAttr("plan.defers", builder_.getUnitAttr());
        made_->setAttr("plan.samples", builder_.getI64IntegerAttr(samples()));
        builder_.setInsertionPoint(function_);
        builder_.insert(made_);
        block_ = made_.addEntryBlock();
        attributes_.clear();
        builder_.setInsertionPointToEnd(block_);
        OperationId next(0);
        for (mlir::Operation &op : function_.getBody().front())
            if (mlir::isa<ir::WriteOp>(op)) {
                if (const ValueId value = extracted_.value_of.at(op.getOperand(0)); is_made_here(value))
                    clone(op);
            } else if (next < extracted_.graph.end_of_program() && extracted_.operations[next] == &op) {
                const std::vector<int> &stages = staged_.stages[next];
                if (const auto here = std::find(stages.begin(), stages.end(), stage); here != stages.end())
                    ir::set_level(clone(op), staged_.levels[next][static_cast<size_t>(here - stages.begin())]);
                ++next;
            }
        finish();
        builder_.setInsertionPointAfter(made_);
    }

    [[nodiscard]] bool defers_weight_gradients() const {
        return std::any_of(schedule_.actions.begin(), schedule_.actions.end(), [](const auto &actions) {
            return std::any_of(actions.begin(), actions.end(), [](const pipeline::Action &action) {
                return action.kind == pipeline::Kind::weight_gradient;
            });
        });
    }

    std::string name() {
        const std::string whole = function_.getName().str();
        std::string stage = "stage_" + std::to_string(stage_ % schedule_.stages);
        if (const int replica = stage_ / schedule_.stages; replica > 0)
            stage += "_replica_" + std::to_string(replica);
        return whole == "train" ? stage : stage + "_" + whole;
    }

    static bool contains(const std::vector<int> &stages, int stage) {
        return std::find(stages.begin(), stages.end(), stage) != stages.end();
    }

    [[nodiscard]] bool is_made_here(ValueId value) const {
        const OperationId producer = extracted_.graph.values[value].producer;
        return producer && contains(staged_.stages[producer], stage_);
    }

    mlir::Operation *clone(mlir::Operation &op) {
        for (mlir::Value operand : op.getOperands())
            if (!map_.contains(operand))
                bring(operand);
        mlir::Operation *made = builder_.clone(op, map_);
        variables_.rename(made, stage_);
        return made;
    }

    /// Makes a value known that this stage does not compute.
    void bring(mlir::Value value) {
        mlir::Operation *producer = value.getDefiningOp();
        const auto known = extracted_.value_of.find(value);
        const bool computed = producer != nullptr && known != extracted_.value_of.end() &&
                              extracted_.graph.values[known->second].kind == sharding::ValueKind::computed;
        if (producer != nullptr && !computed) {
            variables_.rename(builder_.clone(*producer, map_), stage_);
            return;
        }
        map_.map(value, block_->addArgument(value.getType(), value.getLoc()));
        if (!computed) {
            const auto own = function_.getArgAttrDict(mlir::cast<mlir::BlockArgument>(value).getArgNumber());
            attributes_.push_back(own ? own : builder_.getDictionaryAttr({}));
            return;
        }
        const sharding::Value &crossing = extracted_.graph.values[known->second];
        attributes_.push_back(builder_.getDictionaryAttr(
            {builder_.getNamedAttr("plan.received", builder_.getI64IntegerAttr(numbers_.at(known->second))),
             builder_.getNamedAttr("plan.tensor", builder_.getStringAttr(crossing.name))}));
    }

    void finish() {
        llvm::SmallVector<mlir::Value> results;
        const auto names = function_->getAttrOfType<mlir::ArrayAttr>("plan.results");
        llvm::SmallVector<mlir::Attribute> own_names;
        for (mlir::OpOperand &reported : function_.getBody().front().getTerminator()->getOpOperands()) {
            if (stage_ != stage_of_output(reported.get()))
                continue;
            if (!map_.contains(reported.get()))
                bring(reported.get());
            results.push_back(map_.lookup(reported.get()));
            if (names)
                own_names.push_back(names[reported.getOperandNumber()]);
        }
        if (!own_names.empty())
            made_->setAttr("plan.results", builder_.getArrayAttr(own_names));
        llvm::SmallVector<int64_t> sends;
        for (const auto &[value, number] : numbers_)
            if (sends_here(value)) {
                results.push_back(map_.lookup(ir_value_.at(value)));
                sends.push_back(number);
            }
        if (!sends.empty())
            made_->setAttr("plan.sends", builder_.getDenseI64ArrayAttr(sends));
        auto terminator = builder_.create<mlir::func::ReturnOp>(function_.getLoc(), results);
        made_.setFunctionType(builder_.getFunctionType(block_->getArgumentTypes(), terminator->getOperandTypes()));
        if (!attributes_.empty())
            made_->setAttr("arg_attrs", builder_.getArrayAttr(attributes_));
    }

    /// The stage that reports a result: where it is computed; of a constant, the first.
    [[nodiscard]] int stage_of_output(mlir::Value reported) const {
        const auto known = extracted_.value_of.find(reported);
        if (known == extracted_.value_of.end())
            return 0;
        const OperationId producer = extracted_.graph.values[known->second].producer;
        return producer ? staged_.stages[producer].front() : 0;
    }

    [[nodiscard]] bool sends_here(ValueId value) const {
        return std::any_of(staged_.crossings.begin(), staged_.crossings.end(), [&](const Crossing &crossing) {
            return crossing.value == value && crossing.from == stage_;
        });
    }

    mlir::func::FuncOp function_;
    Extracted extracted_;
    sharding::StagedGraph staged_;
    const pipeline::Schedule &schedule_;
    std::vector<std::vector<int>> slots_; ///< by role and micro-batch
    const StageVariables &variables_;
    mlir::OpBuilder builder_;
    std::map<ValueId, int> numbers_; ///< of values that cross
    std::map<ValueId, mlir::Value> ir_value_;
    int stage_ = 0; ///< a part of the schedule
    mlir::func::FuncOp made_;
    mlir::Block *block_ = nullptr;
    mlir::IRMapping map_;
    llvm::SmallVector<mlir::Attribute> attributes_; ///< by argument
};

} // namespace

sharding::LayerStages layer_stages(const sharding::Graph &graph, const ir::Pipeline &pipeline) {
    sharding::LayerStages layers{pipeline.stages, {}};
    for (const sharding::Layer &layer : graph.layers) {
        const auto stage = pipeline.stage_of_layer.find(layer.name);
        layers.of.push_back(stage == pipeline.stage_of_layer.end() ? sharding::LayerStages::everywhere : stage->second);
    }
    return layers;
}

mlir::LogicalResult split_stages(mlir::ModuleOp module) {
    if (!ir::has_pipeline(module))
        return mlir::success();
    ir::Pipeline pipeline = ir::pipeline_of(module);
    pipeline::Schedule schedule = ir::schedule_of(module);
    const auto layers_of = [&](const sharding::Graph &graph) { return layer_stages(graph, pipeline); };
    const std::vector<mlir::func::FuncOp> functions = ir::entry_functions(module);
    StageVariables variables(module);
    for (mlir::func::FuncOp function : functions)
        if (ir::is_training(function)) {
            recompute_within_stages(function, layers_of);
            regroup_sums(function, layers_of);
            const sharding::Graph graph = extract(function).graph;
            pipeline.reach =
                sharding::reach_of_gradients(graph, sharding::staged(graph, layers_of(graph)), schedule.stages);
        }
    if (!pipeline.reach.empty())
        ir::set_pipeline(module, pipeline);
    schedule.reach = pipeline.reach;
    if (failed(replicate(module, schedule)))
        return mlir::failure();
    for (mlir::func::FuncOp function : functions)
        if (ir::is_training(function)) {
            const Extracted extracted = extract(function);
            variables.add(extracted, layers_of(extracted.graph));
        }
    variables.make(schedule);
    for (mlir::func::FuncOp function : functions) {
        Extracted extracted = extract(function);
        sharding::StagedGraph staged = sharding::staged(extracted.graph, layers_of(extracted.graph));
        if (const std::string wrong = sharding::goes_back(extracted.graph, staged); !wrong.empty())
            return module.emitError() << "layer " << wrong << ", which lies on an earlier stage";
        Split(function, std::move(extracted), std::move(staged), schedule, variables).run();
    }
    return mlir::success();
}

} // namespace planc::spmd
