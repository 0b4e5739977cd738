#include "autodiff/attention_gradient.h"

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::type_of;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Value;

namespace {

mlir::StringRef text(mlir::Operation *op, StringRef attribute) {
    const auto value = op->getAttrOfType<mlir::StringAttr>(attribute);
    return value ? value.getValue() : StringRef();
}

} // namespace

SmallVector<Value> attention_gradient_operands(LayerBuilder &build, ir::AttentionOp op, Value gradient) {
    const Value output = op.getResult(0);
    SmallVector<StringRef> own;
    for (const mlir::StringAttr role : op.valueRoles())
        own.push_back(role.getValue());
    const ir::TensorType of_queries =
        ir::filter_dimensions(type_of(output), [&](StringRef role) { return !llvm::is_contained(own, role); });
    mlir::OpBuilder behind(op.getContext());
    behind.setInsertionPointAfter(op);
    LayerBuilder forward(behind, op.getLoc(), text(op, "layer"), text(op, "phase"));
    const Value total = forward.attention("total", op.getInputs(), op, of_queries);
    const Value delta = build.reduce("sum", build.pointwise("mul", {output, gradient}, type_of(output)), own);
    SmallVector<Value> operands(op.getInputs().take_front(3));
    operands.append({total, gradient, delta});
    if (op.getMasked())
        operands.push_back(op.mask());
    return operands;
}

Value attention_gradient(LayerBuilder &build, ir::AttentionOp op, unsigned operand, mlir::ValueRange operands) {
    static constexpr StringRef kinds[] = {"query_gradient", "key_gradient", "value_gradient"};
    return build.attention(kinds[operand], operands, op, type_of(op.getInputs()[operand]));
}

} // namespace planc::autodiff
