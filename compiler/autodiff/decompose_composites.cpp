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

/// The mean of `per_sample` over all of its dimensions. Evaluation finds the operand again by its mark.
Value mean_of_samples(LayerBuilder &build, Value per_sample, TensorType result) {
    per_sample.getDefiningOp()->setAttr("plan.sample_loss", build.builder().getUnitAttr());
    return mean(build, per_sample, result);
}

Value cross_entropy(LayerBuilder &build, ir::CrossEntropyOp op) {
    const TensorType type = type_of(op.getLogits());
    const StringRef dimension = op.getDimension();
    const auto at = static_cast<size_t>(type.find(dimension));
    const Value shifted = less_maximum(build, op.getLogits(), dimension);
    const Value sum = build.reduce("sum", build.pointwise("exp", shifted, type), dimension);
    const Value classes = build.iota(type.getRoles()[at], type.getExtents()[at], type.getElementType());
    const Value is_label = build.pointwise("equal", {op.getLabels(), classes}, type);
    const Value picked = build.reduce("sum", build.pointwise("mul", {is_label, shifted}, type), dimension);
    const Value loss = build.pointwise("sub", {build.pointwise("log", sum, type), picked}, type);
    return mean_of_samples(build, loss, op.getResult().getType());
}

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
        return cross_entropy(build, composite);
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
