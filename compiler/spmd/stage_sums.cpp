#include "spmd/stage_sums.h"

#include "sharding/stage_sums.h"
#include "spmd/extract.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <vector>

namespace planc::spmd {

namespace {

using mlir::Operation;
using mlir::Value;
using sharding::StageSum;
using sharding::ValueId;

class Regrouping {
  public:
    Regrouping(mlir::func::FuncOp function, const Extracted &extracted)
        : extracted_(extracted), values_(extracted.ir_values()), builder_(function) {}

    void apply(const StageSum &sum) {
        if (sum.parameter)
            apply_gradient(sum);
        else
            apply_norm(sum);
    }

    /// To be called after all: two parameters may have one gradient.
    void erase_replaced() {
        llvm::SmallPtrSet<Operation *, 8> erased;
        for (Operation *op : replaced_)
            erase_unused(op, erased);
    }

  private:
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

    [[nodiscard]] std::vector<Value> of(const std::vector<ValueId> &values) const {
        std::vector<Value> result;
        for (const ValueId value : values)
            result.push_back(values_[value]);
        return result;
    }

    [[nodiscard]] mlir::Attribute name_of(ValueId parameter) {
        return parameter ? builder_.getStringAttr(extracted_.graph.values[parameter].name) : mlir::Attribute();
    }

    void apply_gradient(const StageSum &sum) {
        Operation *like = values_[sum.whole].getDefiningOp();
        Operation *accumulate = sum.accumulates ? extracted_.operations[sum.accumulates] : nullptr;
        builder_.setInsertionPointAfter(accumulate != nullptr ? accumulate : like);
        std::vector<Value> sums;
        for (const StageSum::Part &part : sum.parts) {
            const std::vector<Value> terms = of(part.terms);
            Value own = add_up(terms, like, {{"layer", terms.front().getDefiningOp()->getAttr("layer")}});
            if (accumulate != nullptr) {
                Operation *of_stage = builder_.clone(*accumulate);
                of_stage->setOperand(0, own);
                own = of_stage->getResult(0);
            }
            sums.push_back(own);
        }
        const Value whole = accumulate != nullptr ? accumulate->getResult(0) : values_[sum.whole];
        llvm::SmallVector<mlir::OpOperand *> uses;
        for (mlir::OpOperand &use : whole.getUses())
            uses.push_back(&use);
        if (!uses.empty()) {
            const Value all = add_up(
                sums, like, {{"phase", builder_.getStringAttr("update")}, {"parameter", name_of(sum.parameter)}});
            for (mlir::OpOperand *use : uses)
                use->set(all);
        }
        if (accumulate != nullptr)
            accumulate->erase();
        replaced_.push_back(like);
    }

    void apply_norm(const StageSum &sum) {
        for (const auto &[operation, parameter] : sum.following)
            extracted_.operations[operation]->setAttr("parameter", name_of(parameter));
        Operation *like = values_[sum.whole].getDefiningOp();
        builder_.setInsertionPoint(like);
        std::vector<Value> sums;
        for (const StageSum::Part &part : sum.parts)
            sums.push_back(add_up(of(part.terms), like, {{"parameter", name_of(part.parameter)}}));
        Value(like->getResult(0)).replaceAllUsesWith(add_up(sums, like));
        replaced_.push_back(like);
    }

    static bool is_sum(Operation *op) {
        auto pointwise = mlir::dyn_cast_or_null<ir::PointwiseOp>(op);
        return pointwise && pointwise.getFunction() == "add";
    }

    static void erase_unused(Operation *op, llvm::SmallPtrSetImpl<Operation *> &erased) {
        if (erased.contains(op) || !is_sum(op) || !op->use_empty())
            return;
        llvm::SmallSetVector<Operation *, 2> producers;
        for (Value operand : op->getOperands())
            producers.insert(operand.getDefiningOp());
        erased.insert(op);
        op->erase();
        for (Operation *producer : producers)
            erase_unused(producer, erased);
    }

    const Extracted &extracted_;
    sharding::PerValue<Value> values_;
    mlir::OpBuilder builder_;
    std::vector<Operation *> replaced_; ///< sums in whose place others are
};

} // namespace

void regroup_sums(mlir::func::FuncOp function, const LayerStagesOf &layers_of) {
    const Extracted extracted = extract(function);
    Regrouping regrouping(function, extracted);
    for (const StageSum &sum : sharding::stage_sums(extracted.graph, layers_of(extracted.graph)))
        regrouping.apply(sum);
    regrouping.erase_replaced();
}

} // namespace planc::spmd
