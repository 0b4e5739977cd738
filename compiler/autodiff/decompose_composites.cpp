#include "autodiff/passes.h"

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "autodiff/passes.h.inc"

using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

namespace {

/// Subtracts from x its maximum along the dimension. This does not change the softmax, and exp cannot overflow.
Value less_maximum(LayerBuilder &build, Value x, StringRef dimension) {
    const Value top = build.reduce("max", x, dimension);
    const Value fixed = build.pointwise("stop_gradient", top, type_of(x));
    return build.pointwise("sub", {x, fixed}, type_of(x));
}

Value mean(LayerBuilder &build, Value x, TensorType result) {
    const double count = static_cast<double>(type_of(x).elements()) / static_cast<double>(result.elements());
    const Value sum = build.reduce_to("sum", x, result);
    return build.pointwise("mul", {sum, build.constant(1 / count, result.getElementType())}, result);
}

Value softmax(LayerBuilder &build, ir::SoftmaxOp op) {
    const TensorType type = op.getResult().getType();
    const Value shifted = less_maximum(build, op.getOperand(), op.getDimension());
    const Value exponential = build.pointwise("exp", shifted, type);
    const Value sum = build.reduce("sum", exponential, op.getDimension());
    if (op.getLog())
        return build.pointwise("sub", {shifted, build.pointwise("log", sum, type)}, type);
    return build.pointwise("div", {exponential, sum}, type);
}

/// Marks a value of which samples that do not train are left out: on a graph, where a batch has all samples.
Value by_sample(LayerBuilder &build, Value value) {
    value.getDefiningOp()->setAttr("plan.sample_loss", build.builder().getUnitAttr());
    return value;
}

/// The mean of `per_sample` over all of its dimensions.
Value mean_of_samples(LayerBuilder &build, Value per_sample, TensorType result) {
    return mean(build, by_sample(build, per_sample), result);
}

class CrossEntropy {
  public:
    CrossEntropy(LayerBuilder &build, ir::CrossEntropyOp op)
        : build_(build), op_(op), type_(type_of(op.getLogits())), dimension_(op.getDimension()),
          at_(static_cast<size_t>(type_.find(dimension_))) {}

    Value loss() {
        const TensorType result = op_.getResult().getType();
        Value loss = each();
        if (!op_.getWeights() && !op_.getIgnored())
            return mean_of_samples(build_, loss, result);
        Value weight = op_.getWeights() ? over_classes(is_label_, op_.getWeights()) : Value();
        if (op_.getIgnored()) {
            const Value ignored = number(static_cast<double>(*op_.getIgnored()));
            const Value counts = build_.pointwise("not_equal", {op_.getLabels(), ignored}, type_);
            loss = product(loss, counts);
            weight = weight ? product(weight, counts) : build_.pointwise("identity", counts, type_);
        }
        const Value sum = build_.reduce_to("sum", by_sample(build_, loss), result);
        return build_.pointwise("div", {sum, build_.reduce_to("sum", by_sample(build_, weight), result)}, result);
    }

  private:
    Value number(double value) { return build_.constant(value, type_.getElementType()); }
    Value product(Value a, Value b) { return build_.pointwise("mul", {a, b}, type_); }
    Value over_classes(Value a, Value b) { return build_.reduce("sum", product(a, b), dimension_); }

    /// The loss of each label: the sum over the classes of the label's parts times −log softmax.
    Value each() {
        const Value shifted = less_maximum(build_, op_.getLogits(), dimension_);
        const Value sum = build_.reduce("sum", build_.pointwise("exp", shifted, type_), dimension_);
        const Value parts = parts_of_label();
        const Value picked = over_classes(parts, shifted);
        Value logarithm = build_.pointwise("log", sum, type_);
        if (op_.getWeights()) // else the parts add up to 1
            logarithm = product(build_.reduce("sum", parts, dimension_), logarithm);
        return build_.pointwise("sub", {logarithm, picked}, type_);
    }

    Value parts_of_label() {
        const Value classes = build_.iota(type_.getRoles()[at_], type_.getExtents()[at_], type_.getElementType());
        is_label_ = build_.pointwise("equal", {op_.getLabels(), classes}, type_);
        Value parts = is_label_;
        if (const auto smoothing = op_.getSmoothing()) {
            const double share = smoothing->convertToDouble();
            const double to_each = share / static_cast<double>(type_.getExtents()[at_]);
            parts = build_.pointwise("add", {product(parts, number(1 - share)), number(to_each)}, type_);
        }
        return op_.getWeights() ? product(parts, op_.getWeights()) : parts;
    }

    LayerBuilder &build_;
    ir::CrossEntropyOp op_;
    TensorType type_;
    StringRef dimension_;
    size_t at_;
    Value is_label_;
};

Value mean_square_error(LayerBuilder &build, ir::MeanSquareErrorOp op) {
    const TensorType type = type_of(op.getPrediction());
    const Value difference = build.pointwise("sub", {op.getPrediction(), op.getTarget()}, type);
    return mean_of_samples(build, build.pointwise("square", difference, type), op.getResult().getType());
}

/// Whether it is a mean over all samples of a graph, of which only those count that train.
bool is_over_samples(ir::MeanOp op) {
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    if (!function || !function->hasAttr("plan.all_samples"))
        return false;
    const StringRef batch = type_of(function.getArgument(0)).getRoles().front().getValue();
    return type_of(op.getOperand()).find(batch) >= 0 && op.getResult().getType().find(batch) < 0;
}

/// Empty if the operation is not a composite.
Value decompose(mlir::Operation *op, mlir::OpBuilder &builder) {
    const auto text = [&](StringRef name) {
        const auto attribute = op->getAttrOfType<mlir::StringAttr>(name);
        return attribute ? attribute.getValue() : StringRef();
    };
    LayerBuilder build(builder, op->getLoc(), text("layer"), text("phase"));
    if (auto composite = mlir::dyn_cast<ir::SoftmaxOp>(op))
        return softmax(build, composite);
    if (auto composite = mlir::dyn_cast<ir::CrossEntropyOp>(op))
        return CrossEntropy(build, composite).loss();
    if (auto composite = mlir::dyn_cast<ir::MeanSquareErrorOp>(op))
        return mean_square_error(build, composite);
    if (auto composite = mlir::dyn_cast<ir::MeanOp>(op)) {
        const Value operand = composite.getOperand();
        if (text("layer") != "loss" || !is_over_samples(composite))
            return mean(build, operand, composite.getResult().getType());
        return mean_of_samples(build, build.pointwise("identity", operand, type_of(operand)),
                               composite.getResult().getType());
    }
    return {};
}

struct DecomposeComposites : impl::DecomposeCompositesBase<DecomposeComposites> {
    void runOnOperation() override {
        mlir::OpBuilder builder(&getContext());
        getOperation().walk([&](mlir::Operation *op) {
            if (!mlir::isa<ir::SoftmaxOp, ir::CrossEntropyOp, ir::MeanSquareErrorOp, ir::MeanOp>(op))
                return;
            builder.setInsertionPoint(op);
            op->getResult(0).replaceAllUsesWith(decompose(op, builder));
            op->erase();
        });
    }
};

} // namespace

} // namespace planc::autodiff
