#include "autodiff/valid_samples.h"

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

Value add_valid(mlir::func::FuncOp function, mlir::Type element) {
    const TensorType input = type_of(function.getArgument(0));
    const StringRef batch = input.getRoles().front().getValue();
    mlir::Builder builder(function.getContext());
    const TensorType per_sample = ir::filter_dimensions(input, [&](StringRef role) { return role == batch; });
    const auto type = TensorType::get(builder.getContext(), per_sample.getRoles(), per_sample.getExtents(), element,
                                      ir::LayoutAttr());
    const unsigned position = function.getNumArguments();
    function.insertArgument(
        position, type,
        builder.getDictionaryAttr({builder.getNamedAttr("plan.input", builder.getStringAttr("valid")),
                                   builder.getNamedAttr("plan.valid", builder.getUnitAttr())}),
        function.getLoc());
    return function.getArgument(position);
}

static bool is_marked(Value value) {
    mlir::Operation *op = value.getDefiningOp();
    return op != nullptr && op->hasAttr("plan.sample_loss");
}

mlir::LogicalResult weigh_samples(mlir::func::FuncOp function) {
    Value valid;
    const StringRef batch = type_of(function.getArgument(0)).getRoles().front().getValue();
    for (ir::ReduceOp op : function.getBody().front().getOps<ir::ReduceOp>())
        if (op.getLayer() == "loss" && type_of(op.getOperand()).find(batch) >= 0 &&
            op.getResult().getType().find(batch) < 0 && !is_marked(op.getOperand()))
            return op.emitError(
                "this sums over all samples of a graph, also over those that do not train; 'reduce_mean' "
                "takes only those that do");
    for (mlir::Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
        if (!op.hasAttr("plan.sample_loss") || type_of(op.getResult(0)).find(batch) < 0)
            continue;
        Value losses = op.getResult(0);
        if (!valid)
            valid = add_valid(function, type_of(losses).getElementType());
        mlir::OpBuilder builder(&op);
        builder.setInsertionPointAfter(&op);
        LayerBuilder build(builder, op.getLoc(), "loss", "loss");
        const Value weighed = build.pointwise("mul", {losses, valid}, type_of(losses));
        losses.replaceAllUsesExcept(weighed, weighed.getDefiningOp());
    }
    return mlir::success();
}

} // namespace planc::autodiff
