#include "autodiff/evaluation.h"

#include "autodiff/ratio.h"
#include "autodiff/valid_samples.h"

#include <cmath>

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

namespace {

/// The loss of a batch, if it is a sum over its samples, taken over the valid ones: sums over the batch that are scaled
/// and added, and terms that depend on no sample, such as a norm of weights, which count once for each.
class LossOfValid {
  public:
    LossOfValid(LayerBuilder &build, Value valid) : build_(build), valid_(valid), type_(type_of(valid)) {}

    /// Added up over all batches and divided by the number of samples, it is comparable to the loss of a batch. Empty
    /// if the loss is no such sum.
    Value sum(Value loss) {
        if (!depends(loss))
            return scaled(loss, build_.reduce_to("sum", valid_, scalar()));
        if (const Value samples = summed(loss))
            return sum_of(samples, type_of(loss), static_cast<double>(samples_in_batch()));
        if (auto reduce = loss.getDefiningOp<ir::ReduceOp>(); reduce && reduce.getReduction() == "sum")
            return of_sum(reduce);
        auto op = loss.getDefiningOp<ir::PointwiseOp>();
        if (!op)
            return {};
        const StringRef function = op.getFunction();
        if (function == "add" || function == "sub")
            return terms(op);
        if (function == "neg" || function == "identity" || function == "stop_gradient")
            return same(op, {sum(op.getInputs()[0])});
        const bool first = function == "mul" && !depends(op.getInputs()[0]);
        if (first || ((function == "mul" || function == "div") && !depends(op.getInputs()[1])))
            return product(op, op.getInputs()[first ? 1 : 0], op.getInputs()[first ? 0 : 1]);
        return {};
    }

  private:
    [[nodiscard]] int64_t samples_in_batch() const { return type_.elements(); }

    Value scaled(Value a, Value b) { return build_.pointwise("mul", {a, b}, type_of(a)); }

    Value same(ir::PointwiseOp op, mlir::ArrayRef<Value> operands) {
        return llvm::is_contained(operands, Value())
                   ? Value()
                   : build_.pointwise(op.getFunction(), operands, op.getResult().getType());
    }

    Value terms(ir::PointwiseOp op) {
        const Value first = sum(op.getInputs()[0]);
        return same(op, {first, first ? sum(op.getInputs()[1]) : Value()});
    }

    Value product(ir::PointwiseOp op, Value loss, Value factor) {
        auto number = factor.getDefiningOp<ir::ConstantOp>();
        const Value samples = number && op.getFunction() == "mul" ? summed(loss) : Value();
        if (!samples)
            return same(op, {sum(loss), factor});
        const double value = number.getValue().convertToDouble();
        const auto all =
            static_cast<double>(type_of(samples).elements()) / static_cast<double>(type_of(loss).elements());
        const bool mean = std::abs(value * all - 1) < 1e-12;
        const auto batch = static_cast<double>(samples_in_batch());
        return sum_of(samples, type_of(loss), mean ? batch / all : batch * value);
    }

    Value of_sum(ir::ReduceOp reduce) {
        const Value inner = has_batch(reduce.getOperand()) ? Value() : sum(reduce.getOperand());
        return inner ? build_.reduce_to("sum", inner, reduce.getResult().getType()) : Value();
    }

    /// What the value is the sum of, over the batch and perhaps other dimensions; empty if it is none.
    Value summed(Value value) {
        auto reduce = value.getDefiningOp<ir::ReduceOp>();
        const bool over_batch = reduce && reduce.getReduction() == "sum" && !has_batch(value) &&
                                has_batch(reduce.getOperand()) && of_one_sample(reduce.getOperand());
        return over_batch ? reduce.getOperand() : Value();
    }

    Value sum_of(Value samples, TensorType result, double factor) {
        const TensorType type = type_of(samples);
        const Value sum = build_.reduce_to("sum", build_.pointwise("mul", {samples, valid_}, type), result);
        return factor == 1 ? sum : scaled(sum, build_.constant(factor, type.getElementType()));
    }

    /// Whether the loss takes nothing of other samples for it: padding would count.
    bool of_one_sample(Value value) {
        mlir::Operation *op = value.getDefiningOp();
        if (op == nullptr || !depends(value))
            return true;
        const auto layer = op->getAttrOfType<mlir::StringAttr>("layer");
        if (!layer || layer.getValue() != "loss")
            return true;
        const auto [known, fresh] = of_one_sample_.try_emplace(op, true);
        if (!fresh)
            return known->second;
        const bool all = llvm::all_of(op->getOperands(), [&](Value operand) {
            return !depends(operand) || (has_batch(operand) && of_one_sample(operand));
        });
        of_one_sample_[op] = all;
        return all;
    }

    [[nodiscard]] bool has_batch(Value value) const {
        return type_of(value).find(type_.getRoles().front().getValue()) >= 0;
    }

    [[nodiscard]] TensorType scalar() const {
        return ir::filter_dimensions(type_, [](StringRef) { return false; });
    }

    bool depends(Value value) { return depends_.on_data(value); }

    LayerBuilder &build_;
    Value valid_;
    TensorType type_; ///< [batch]
    Dependence depends_;
    llvm::DenseMap<mlir::Operation *, bool> of_one_sample_;
};

/// Sum over the valid samples of the mean over the other dimensions.
Value sum_over_valid(LayerBuilder &build, Value samples, Value valid) {
    const TensorType type = type_of(samples);
    const TensorType scalar = ir::filter_dimensions(type, [](StringRef) { return false; });
    const Value sum = build.reduce_to("sum", build.pointwise("mul", {samples, valid}, type), scalar);
    const double share = static_cast<double>(type_of(valid).elements()) / static_cast<double>(type.elements());
    if (share == 1)
        return sum;
    return build.pointwise("mul", {sum, build.constant(share, type.getElementType())}, scalar);
}

/// 1 where the argmax of the prediction (the first of equal maxima) is the label, else 0.
Value is_right(LayerBuilder &build, Value prediction, Value labels, StringRef class_role) {
    const TensorType type = type_of(prediction);
    const auto at = static_cast<size_t>(type.find(class_role));
    const int64_t classes = type.getExtents()[at];
    const Value top = build.reduce("max", prediction, class_role);
    const Value attained = build.pointwise("equal", {prediction, top}, type);
    const Value number = build.iota(type.getRoles()[at], classes, type.getElementType());
    const Value none = build.constant(static_cast<double>(classes), type.getElementType());
    const Value candidates = build.pointwise("select", {attained, number, none}, type);
    const Value first = build.reduce("min", candidates, class_role);
    return build.pointwise("equal", {first, labels}, type);
}

} // namespace

bool make_evaluation(mlir::func::FuncOp function, std::optional<unsigned> label, StringRef class_role,
                     std::optional<std::int64_t> ignored) {
    auto end = mlir::cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
    const Value loss = end.getOperand(0);
    const Value prediction = end.getOperand(1);
    const TensorType input = function.getNumArguments() > 0 ? type_of(function.getArgument(0)) : type_of(loss);
    if (input.getRoles().empty())
        return false;
    const StringRef batch = input.getRoles().front().getValue();

    mlir::OpBuilder builder(end);
    const Value valid = add_valid(function, type_of(loss).getElementType());

    LayerBuilder build(builder, end.getLoc(), "loss", "loss");
    llvm::SmallVector<Value> results;
    llvm::SmallVector<StringRef> names;
    const auto give = [&](StringRef name, Value result) {
        results.push_back(result);
        names.push_back(name);
    };
    LossOfValid of_valid(build, valid);
    const std::optional<Ratio> ratio = as_ratio(build, loss);
    const Value sum = of_valid.sum(ratio ? ratio->numerator : loss);
    const Value divisor = ratio ? of_valid.sum(ratio->denominator) : Value();
    if (sum && (divisor || !ratio)) {
        give("loss", sum);
        if (divisor)
            give("loss_divisor", divisor);
    }
    if (label && type_of(prediction).find(class_role) >= 0 && type_of(prediction).find(batch) >= 0) {
        const Value labels = function.getArgument(*label);
        Value right = is_right(build, prediction, labels, class_role);
        if (ignored) {
            const TensorType type = type_of(right);
            const Value label_ignored = build.constant(static_cast<double>(*ignored), type.getElementType());
            const Value counts = build.pointwise("not_equal", {labels, label_ignored}, type);
            right = build.pointwise("mul", {right, counts}, type);
            give("labels", sum_over_valid(build, counts, valid));
        }
        give("correct", sum_over_valid(build, right, valid));
    }
    end->setOperands(results);
    function->setAttr("plan.results", builder.getStrArrayAttr(names));
    return !results.empty();
}

} // namespace planc::autodiff
