#include "spmd/stage_sums.h"

#include "spmd/extract.h"

#include <map>
#include <string>
#include <vector>

namespace planc::spmd {

namespace {

using mlir::Operation;
using mlir::Value;
using sharding::OperationId;
using sharding::ValueId;

class Regrouping {
  public:
    Regrouping(mlir::func::FuncOp function, const LayerStagesOf &layers_of)
        : function_(function), extracted_(extract(function)), layers_(layers_of(extracted_.graph)),
          variables_(sharding::stages_of_variables(extracted_.graph, layers_)),
          staged_(sharding::staged(extracted_.graph, layers_)), builder_(function) {}

    void run() {
        const std::vector<Value> norms = sums_of_norms(); // before anything changes
        for (const auto &[name, variable] : extracted_.variable_of)
            if (variables_[variable].size() > 1)
                if (const Value gradient = gradient_of(name.str()))
                    regroup_gradient(name.str(), gradient);
        for (const Value norm : norms)
            regroup_norm(norm);
    }

  private:
    static bool is_sum(Value value) {
        auto op = value.getDefiningOp<ir::PointwiseOp>();
        return op && op.getFunction() == "add";
    }

    /// The first stage that makes a value; -1: each has it.
    int stage_of(Value value) const {
        const auto known = extracted_.value_of.find(value);
        if (known == extracted_.value_of.end())
            return -1;
        const OperationId producer = extracted_.graph.values[known->second].producer;
        return producer ? staged_.stages[producer].front() : -1;
    }

    static std::string phase_of(Operation *op) {
        const auto phase = op->getAttrOfType<mlir::StringAttr>("phase");
        return phase ? phase.str() : "";
    }

    /// The terms of a sum of sums, by stage, in their order. A sum that is used twice is a term.
    using Terms = std::map<int, std::vector<Value>>;
    void collect(Value value, bool root, Terms &terms) const {
        if (is_sum(value) && (root || value.hasOneUse())) {
            for (Value term : value.getDefiningOp()->getOperands())
                collect(term, false, terms);
            return;
        }
        terms[stage_of(value)].push_back(value);
    }

    /// Adds up values with operations like `like`, which have these attributes besides.
    using Attributes = std::vector<std::pair<const char *, mlir::Attribute>>;
    Value add_up(const std::vector<Value> &terms, Operation *like, const Attributes &attributes = {}) {
        Value sum = terms.front();
        for (size_t i = 1; i < terms.size(); ++i)
            sum = made_like(like, {sum, terms[i]}, attributes)->getResult(0);
        if (sum.getType() == like->getResult(0).getType())
            return sum;
        Operation *broadcast = made_like(like, {sum}, attributes); // a term may lack dimensions of the sum
        mlir::cast<ir::PointwiseOp>(broadcast).setFunction("identity");
        return broadcast->getResult(0);
    }

    Operation *made_like(Operation *like, mlir::ValueRange operands, const Attributes &attributes) {
        Operation *made = builder_.clone(*like);
        made->setOperands(operands);
        for (const auto &[name, attribute] : attributes)
            if (attribute)
                made->setAttr(name, attribute);
        return made;
    }

    // --- gradients ----------------------------------------------------------------------------------------------

    /// The gradient of a micro-batch: what is accumulated, or else what the update takes.
    Value gradient_of(const std::string &parameter) {
        for (auto op : function_.getOps<ir::AccumulateOp>())
            if (op.getAccumulator() == "gradient of " + parameter)
                return op.getOperand();
        for (Operation &op : function_.getBody().front()) {
            const auto of = op.getAttrOfType<mlir::StringAttr>("parameter");
            if (!of || of.getValue() != parameter)
                continue;
            for (Value operand : op.getOperands())
                if (Operation *producer = operand.getDefiningOp();
                    producer && !producer->hasAttr("parameter") && phase_of(producer) == "weight gradient")
                    return operand;
        }
        return {};
    }

    void regroup_gradient(const std::string &parameter, Value gradient) {
        Terms terms;
        collect(gradient, true, terms);
        if (terms.size() < 2)
            return;
        ir::AccumulateOp accumulate;
        for (Operation *user : gradient.getUsers())
            if (auto found = mlir::dyn_cast<ir::AccumulateOp>(user))
                accumulate = found;
        Operation *like = gradient.getDefiningOp();
        builder_.setInsertionPointAfter(accumulate ? accumulate.getOperation() : like);
        std::vector<Value> sums;
        for (const auto &[stage, values] : terms) {
            Value sum = add_up(values, like, {{"layer", values.front().getDefiningOp()->getAttr("layer")}});
            if (accumulate) {
                Operation *own = builder_.clone(*accumulate);
                own->setOperand(0, sum);
                sum = own->getResult(0);
            }
            sums.push_back(sum);
        }
        const Value whole = accumulate ? accumulate.getResult() : gradient;
        llvm::SmallVector<mlir::OpOperand *> uses;
        for (mlir::OpOperand &use : whole.getUses())
            if (!mlir::isa<ir::AccumulateOp>(use.getOwner()))
                uses.push_back(&use);
        if (!uses.empty()) {
            const Value all =
                add_up(sums, like,
                       {{"phase", builder_.getStringAttr("update")}, {"parameter", builder_.getStringAttr(parameter)}});
            for (mlir::OpOperand *use : uses)
                use->set(all);
        }
        if (accumulate)
            accumulate.erase();
        erase_unused(like);
    }

    static void erase_unused(Operation *op) {
        if (op == nullptr || !op->use_empty() || !mlir::isa<ir::PointwiseOp>(op))
            return;
        llvm::SmallVector<Operation *> producers;
        for (Value operand : op->getOperands())
            producers.push_back(operand.getDefiningOp());
        op->erase();
        for (Operation *producer : producers)
            if (producer && is_sum(producer->getResult(0)))
                erase_unused(producer);
    }

    // --- norms --------------------------------------------------------------------------------------------------

    /// The sums over parameters: scalars of the update that follow no parameter.
    std::vector<Value> sums_of_norms() {
        std::vector<Value> roots;
        for (auto op : function_.getOps<ir::PointwiseOp>())
            if (is_part_of_norm(op) &&
                llvm::none_of(op->getUsers(), [](Operation *user) { return is_part_of_norm(user); }))
                roots.push_back(op.getResult());
        return roots;
    }

    static bool is_part_of_norm(Operation *op) {
        return op->getNumResults() == 1 && is_sum(op->getResult(0)) && phase_of(op) == "update" &&
               !op->hasAttr("parameter") && mlir::cast<ir::TensorType>(op->getResult(0).getType()).getRoles().empty();
    }

    void regroup_norm(Value root) {
        Terms all;
        collect(root, true, all);
        Terms terms;
        for (const auto &[stage, values] : all)
            for (const Value value : values)
                terms[stage_of_norm(value)].push_back(value);
        if (terms.size() < 2)
            return;
        Operation *like = root.getDefiningOp();
        builder_.setInsertionPoint(like);
        std::vector<Value> sums;
        for (const auto &[stage, values] : terms) {
            llvm::for_each(values, keep_on_stage);
            sums.push_back(add_up(values, like, {{"parameter", parameter_on(stage, values)}}));
        }
        root.replaceAllUsesWith(add_up(sums, like));
        erase_unused(like);
    }

    /// The parameter whose norm the value is made of: a square of a root of a sum.
    static mlir::StringAttr parameter_of(Value norm) {
        Operation *op = norm.getDefiningOp();
        while (op != nullptr && !op->hasAttr("parameter") && op->getNumOperands() == 1)
            op = op->getOperand(0).getDefiningOp();
        return op == nullptr ? mlir::StringAttr() : op->getAttrOfType<mlir::StringAttr>("parameter");
    }

    /// The stages that use the parameter of a norm.
    std::vector<int> stages_of_norm(Value norm) const {
        const mlir::StringAttr parameter = parameter_of(norm);
        const auto variable =
            parameter ? extracted_.variable_of.find(parameter.getValue()) : extracted_.variable_of.end();
        return variable == extracted_.variable_of.end() ? std::vector<int>{} : variables_[variable->second];
    }

    /// The first of them computes the norm; -1: unknown.
    int stage_of_norm(Value norm) const {
        const std::vector<int> stages = stages_of_norm(norm);
        return stages.empty() ? -1 : stages.front();
    }

    /// A parameter of the terms that only this stage uses: what follows it is computed there.
    mlir::Attribute parameter_on(int stage, const std::vector<Value> &terms) const {
        for (const Value term : terms)
            if (stages_of_norm(term) == std::vector{stage})
                return parameter_of(term);
        return {};
    }

    /// Lets what is made of one parameter's norm follow that parameter.
    static void keep_on_stage(Value norm) {
        const mlir::StringAttr parameter = parameter_of(norm);
        for (Operation *op = norm.getDefiningOp(); parameter && op != nullptr && !op->hasAttr("parameter");
             op = op->getOperand(0).getDefiningOp())
            op->setAttr("parameter", parameter);
    }

    mlir::func::FuncOp function_;
    Extracted extracted_;
    sharding::LayerStages layers_;
    sharding::PerValue<std::vector<int>> variables_;
    sharding::StagedGraph staged_;
    mlir::OpBuilder builder_;
};

} // namespace

void regroup_sums(mlir::func::FuncOp function, const LayerStagesOf &layers_of) {
    Regrouping(function, layers_of).run();
}

} // namespace planc::spmd
