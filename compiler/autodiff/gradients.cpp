#include "autodiff/gradients.h"

#include "autodiff/pointwise_gradients.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::Subscripts;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

namespace {

StringRef text(mlir::Operation *op, StringRef name) {
    const auto attribute = op->getAttrOfType<mlir::StringAttr>(name);
    return attribute ? attribute.getValue() : StringRef();
}

class Reverse {
  public:
    explicit Reverse(mlir::OpBuilder &builder) : builder_(builder) {}

    mlir::FailureOr<std::vector<ParameterGradient>> run(Value loss);

  private:
    void analyze(mlir::Block &block);
    LayerBuilder builder_for(mlir::Operation *origin, Value differentiated);
    mlir::LogicalResult differentiate(mlir::Operation *op);
    Value gradient_of(Value value);

    mlir::OpBuilder &builder_;
    llvm::DenseSet<Value> trained_;   ///< depends on a variable, differentiably
    llvm::DenseSet<Value> with_data_; ///< depends on an input
    llvm::DenseMap<Value, llvm::SmallVector<Value>> parts_;
};

/// Does a change of this operand change the result, as far as gradients see it?
bool passes_gradients(mlir::OpOperand &operand) {
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(operand.getOwner()))
        return has_derivative(pointwise.getFunction(), operand.getOperandNumber());
    return true;
}

void Reverse::analyze(mlir::Block &block) {
    with_data_.insert(block.args_begin(), block.args_end());
    for (mlir::Operation &op : block) {
        if (op.getNumResults() != 1)
            continue;
        const Value result = op.getResult(0);
        bool trained = mlir::isa<ir::ReadOp>(op);
        for (mlir::OpOperand &operand : op.getOpOperands()) {
            trained |= trained_.contains(operand.get()) && passes_gradients(operand);
            if (with_data_.contains(operand.get()))
                with_data_.insert(result);
        }
        if (trained)
            trained_.insert(result);
    }
}

LayerBuilder Reverse::builder_for(mlir::Operation *origin, Value differentiated) {
    const StringRef phase = with_data_.contains(differentiated) ? "input gradient" : "weight gradient";
    return LayerBuilder(builder_, origin->getLoc(), text(origin, "layer"), phase);
}

/// The sum of what has been gathered; empty if the loss does not depend on the value.
Value Reverse::gradient_of(Value value) {
    const auto &parts = parts_[value];
    if (parts.empty())
        return {};
    LayerBuilder build = builder_for(value.getDefiningOp(), value);
    Value sum = parts.front();
    for (Value part : llvm::drop_begin(parts))
        sum = build.pointwise("add", {sum, part}, type_of(value));
    return sum;
}

/// d/dX of Y = einsum(…, X, …): one einsum of Y's gradient with the other operands, loops as they were.
Value einsum_gradient(LayerBuilder &build, ir::EinsumOp op, unsigned operand, Value gradient) {
    const Subscripts forward = *ir::parse_subscripts(op.getSubscripts());
    const TensorType result = op.getResult().getType();
    Subscripts backward;
    llvm::SmallVector<Value> inputs{gradient};
    std::vector<std::string> &of_gradient = backward.operands.emplace_back();
    for (mlir::StringAttr role : type_of(gradient).getRoles())
        of_gradient.push_back(forward.result[static_cast<size_t>(result.find(role.getValue()))]);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
        if (index == operand)
            continue;
        inputs.push_back(input);
        backward.operands.push_back(forward.operands[index]);
    }
    // Loops that only X has: the gradient is the same along them.
    const std::vector<std::string> available = backward.loops();
    const TensorType type = type_of(op.getInputs()[operand]);
    const std::vector<std::string> &loops = forward.operands[operand];
    const TensorType kept = ir::filter_dimensions(type, [&](StringRef role) {
        return llvm::is_contained(available, loops[static_cast<size_t>(type.find(role))]);
    });
    for (mlir::StringAttr role : kept.getRoles())
        backward.result.push_back(loops[static_cast<size_t>(type.find(role.getValue()))]);
    return build.einsum(backward, inputs, kept);
}

/// Of a maximum or minimum: to the elements that attain it, in equal shares.
Value extremum_gradient(LayerBuilder &build, ir::ReduceOp op, Value gradient) {
    const TensorType type = type_of(op.getOperand());
    const Value attained = build.pointwise("equal", {op.getOperand(), op.getResult()}, type);
    const Value count = build.reduce_to("sum", attained, op.getResult().getType());
    return build.pointwise("mul", {attained, build.pointwise("div", {gradient, count}, type)}, type);
}

mlir::LogicalResult Reverse::differentiate(mlir::Operation *op) {
    const Value gradient = gradient_of(op->getResult(0));
    if (!gradient)
        return mlir::success();
    for (mlir::OpOperand &operand : op->getOpOperands()) {
        const Value x = operand.get();
        if (!trained_.contains(x) || !passes_gradients(operand))
            continue;
        LayerBuilder build = builder_for(op, x);
        Value part;
        if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op)) {
            part = pointwise_gradient(build, pointwise, operand.getOperandNumber(), gradient);
            part = sum_to_operand(build, part, pointwise.getResult().getType(), type_of(x));
        } else if (auto einsum = mlir::dyn_cast<ir::EinsumOp>(op)) {
            part = einsum_gradient(build, einsum, operand.getOperandNumber(), gradient);
        } else if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op)) {
            part = reduce.getReduction() == "sum" ? gradient : extremum_gradient(build, reduce, gradient);
        } else {
            return op->emitOpError() << "has no gradient";
        }
        parts_[x].push_back(part);
    }
    return mlir::success();
}

mlir::FailureOr<std::vector<ParameterGradient>> Reverse::run(Value loss) {
    mlir::Block &block = *loss.getParentBlock();
    analyze(block);
    std::vector<mlir::Operation *> forward;
    for (mlir::Operation &op : block)
        if (op.getNumResults() == 1 && trained_.contains(op.getResult(0)))
            forward.push_back(&op);
    if (trained_.contains(loss))
        parts_[loss].push_back(builder_for(loss.getDefiningOp(), loss).constant(1, type_of(loss).getElementType()));

    std::vector<ParameterGradient> gradients;
    for (mlir::Operation *op : llvm::reverse(forward)) {
        if (auto read = mlir::dyn_cast<ir::ReadOp>(op)) {
            if (const Value gradient = gradient_of(read.getResult()))
                gradients.push_back(
                    {read, builder_for(read, read.getResult()).broadcast(gradient, read.getResult().getType())});
        } else if (failed(differentiate(op))) {
            return mlir::failure();
        }
    }
    std::reverse(gradients.begin(), gradients.end());
    return gradients;
}

} // namespace

Value sum_to_operand(LayerBuilder &build, Value part, TensorType space, TensorType operand) {
    double repeated = 1;
    for (auto [role, extent] : llvm::zip(space.getRoles(), space.getExtents()))
        if (operand.find(role.getValue()) < 0 && type_of(part).find(role.getValue()) < 0)
            repeated *= static_cast<double>(extent);
    const Value sum = build.reduce_to("sum", part, operand);
    if (repeated == 1)
        return sum;
    return build.pointwise("mul", {sum, build.constant(repeated, space.getElementType())}, operand);
}

mlir::FailureOr<std::vector<ParameterGradient>> add_gradients(Value loss, mlir::OpBuilder &builder) {
    return Reverse(builder).run(loss);
}

} // namespace planc::autodiff
