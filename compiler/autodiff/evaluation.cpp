#include "autodiff/evaluation.h"

#include "autodiff/valid_samples.h"

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

namespace {

/// The losses whose mean over all dimensions `loss` is; empty if it is not such a mean.
Value sample_losses(Value loss) {
    auto scaled = loss.getDefiningOp<ir::PointwiseOp>();
    if (!scaled || scaled.getFunction() != "mul")
        return {};
    mlir::Operation *sum = scaled.getInputs()[0].getDefiningOp();
    auto reduce = mlir::dyn_cast_if_present<ir::ReduceOp>(sum);
    mlir::Operation *samples = reduce ? reduce.getOperand().getDefiningOp() : sum;
    if (samples == nullptr || !samples->hasAttr("plan.sample_loss"))
        return {};
    return samples->getResult(0);
}

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

bool make_evaluation(mlir::func::FuncOp function, std::optional<unsigned> label, StringRef class_role) {
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
    const Value samples = sample_losses(loss);
    if (samples && type_of(samples).find(batch) >= 0) {
        results.push_back(sum_over_valid(build, samples, valid));
        names.push_back("loss");
    }
    if (label && type_of(prediction).find(class_role) >= 0 && type_of(prediction).find(batch) >= 0) {
        const Value right = is_right(build, prediction, function.getArgument(*label), class_role);
        results.push_back(sum_over_valid(build, right, valid));
        names.push_back("correct");
    }
    end->setOperands(results);
    function->setAttr("plan.results", builder.getStrArrayAttr(names));
    return !results.empty();
}

} // namespace planc::autodiff
