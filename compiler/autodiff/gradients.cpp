#include "autodiff/gradients.h"

#include "autodiff/attention_gradient.h"
#include "autodiff/edge_expression.h"
#include "autodiff/join_pads.h"
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
    bool is_trained(mlir::Operation &op);
    LayerBuilder builder_for(mlir::Operation *origin, Value differentiated);
    Value part_of(LayerBuilder &build, mlir::OpOperand &operand, Value gradient);
    mlir::LogicalResult differentiate(mlir::Operation *op);
    Value gradient_of(Value value);

    mlir::OpBuilder &builder_;
    mlir::SymbolTableCollection symbols_;
    llvm::DenseSet<Value> trained_;   ///< depends differentiably on a variable
    llvm::DenseSet<Value> with_data_; ///< depends on an input
    llvm::DenseMap<Value, llvm::SmallVector<Value>> parts_;
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Value>> of_attention_; ///< operands of its gradients
};

/// Whether gradients pass from the result to this operand.
bool passes_gradients(mlir::OpOperand &operand) {
    if (!mlir::isa<mlir::FloatType>(type_of(operand.getOwner()->getResult(0)).getElementType()))
        return false;
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(operand.getOwner()))
        return has_derivative(pointwise.getFunction(), operand.getOperandNumber());
    return true;
}

/// Whether it is the value of a variable that the optimizer changes; running statistics are not.
bool Reverse::is_trained(mlir::Operation &op) {
    auto read = mlir::dyn_cast<ir::ReadOp>(op);
    return read && !symbols_.lookupNearestSymbolFrom(read, read.getVariableAttr())->hasAttr("statistic");
}

void Reverse::analyze(mlir::Block &block) {
    with_data_.insert(block.args_begin(), block.args_end());
    for (mlir::Operation &op : block) {
        if (op.getNumResults() != 1)
            continue;
        const Value result = op.getResult(0);
        bool trained = is_trained(op);
        if (mlir::isa<ir::SpmmOp, ir::EdgesOp>(op)) // its matrix is an input
            with_data_.insert(result);
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

/// The sum of the parts collected so far; empty if the loss does not depend on the value.
Value Reverse::gradient_of(Value value) {
    if (parts_[value].empty())
        return {};
    LayerBuilder build = builder_for(value.getDefiningOp(), value);
    const llvm::SmallVector<Value> parts = join_pads(build, parts_[value]);
    Value sum = parts.front();
    for (Value part : llvm::drop_begin(parts))
        sum = build.pointwise("add", {sum, part}, type_of(value));
    return sum;
}

/// The loops of a gradient, which may lack dimensions of `result` and have them in another order.
std::vector<std::string> loops_of_gradient(Value gradient, TensorType result, const std::vector<std::string> &loops) {
    std::vector<std::string> found;
    for (mlir::StringAttr role : type_of(gradient).getRoles())
        found.push_back(loops[static_cast<size_t>(result.find(role.getValue()))]);
    return found;
}

/// `type` without the dimensions whose loops are not `available`: along these the gradient is constant. The remaining
/// loops are the result of `backward`.
TensorType keep_available(TensorType type, const std::vector<std::string> &loops,
                          const std::vector<std::string> &available, Subscripts &backward) {
    const auto loop = [&](StringRef role) { return loops[static_cast<size_t>(type.find(role))]; };
    const TensorType kept =
        ir::filter_dimensions(type, [&](StringRef role) { return llvm::is_contained(available, loop(role)); });
    for (mlir::StringAttr role : kept.getRoles())
        backward.result.push_back(loop(role.getValue()));
    return kept;
}

/// d/dX of Y = einsum(…, X, …): one einsum of Y's gradient with the other operands, with the same loops.
Value einsum_gradient(LayerBuilder &build, ir::EinsumOp op, unsigned operand, Value gradient) {
    const Subscripts forward = *ir::parse_subscripts(op.getSubscripts());
    Subscripts backward;
    llvm::SmallVector<Value> inputs{gradient};
    backward.operands.push_back(loops_of_gradient(gradient, op.getResult().getType(), forward.result));
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
        if (index == operand)
            continue;
        inputs.push_back(input);
        backward.operands.push_back(forward.operands[index]);
    }
    const TensorType kept =
        keep_available(type_of(op.getInputs()[operand]), forward.operands[operand], backward.loops(), backward);
    return build.einsum(backward, inputs, kept);
}

/// The gradient of a maximum or minimum goes to the elements that attain it, in equal shares.
Value extremum_gradient(LayerBuilder &build, ir::ReduceOp op, Value gradient) {
    const TensorType type = type_of(op.getOperand());
    Value attained = build.pointwise("equal", {op.getOperand(), op.getResult()}, type);
    if (ir::EdgesOp mask = mask_of(op.getOperand())) // else pairs without an entry would have a share
        attained = build.pointwise("mul", {attained, mask.getResult()}, type);
    const Value count = build.reduce_to("sum", attained, op.getResult().getType());
    return build.pointwise("mul", {attained, build.pointwise("div", {gradient, count}, type)}, type);
}

/// The gradient with its dimensions in the order of `type`, broadcast along those that it lacks and for which `needed`
/// is true.
Value repeat(LayerBuilder &build, Value gradient, TensorType type, llvm::function_ref<bool(StringRef)> needed) {
    const TensorType has = type_of(gradient);
    return build.broadcast(
        gradient, ir::filter_dimensions(type, [&](StringRef role) { return has.find(role) >= 0 || needed(role); }));
}

Value repeat_all(LayerBuilder &build, Value gradient, TensorType type) {
    return repeat(build, gradient, type, [](StringRef) { return true; });
}

TensorType without_missing(TensorType type, Value gradient) {
    return ir::filter_dimensions(type, [&](StringRef role) { return type_of(gradient).find(role) >= 0; });
}

/// The gradient of a convolution is another kind of convolution, with the same loops; that of a transposed one, which
/// is itself the gradient of an input, is a convolution again. The gradient of the result may lack the dimensions of
/// its windows, but the operand of the convolution must have them.
Value conv_gradient(LayerBuilder &build, ir::ConvOp op, unsigned operand, Value gradient) {
    const Subscripts forward = *ir::parse_subscripts(op.getSubscripts());
    const TensorType result = op.getResult().getType();
    const auto is_one_of = [](mlir::ArrayAttr names, StringRef name) {
        return llvm::any_of(names, [&](mlir::Attribute attribute) {
            return mlir::cast<mlir::StringAttr>(attribute).getValue() == name;
        });
    };
    const Value full = repeat(build, gradient, result, [&](StringRef role) {
        return is_one_of(op.getWindows(), forward.result[static_cast<size_t>(result.find(role))]);
    });
    const std::vector<std::string> of_gradient = loops_of_gradient(full, result, forward.result);
    Subscripts backward;
    const bool transposed = op.getKind() == "input_gradient";
    backward.operands = operand == 0 ? std::vector{of_gradient, forward.operands[1]}
                        : transposed ? std::vector{of_gradient, forward.operands[0]}
                                     : std::vector{forward.operands[0], of_gradient};
    std::vector<std::string> available = backward.loops();
    for (mlir::Attribute kernel : op.getKernels())
        available.push_back(mlir::cast<mlir::StringAttr>(kernel).str());
    const TensorType kept =
        keep_available(type_of(op.getOperand(operand)), forward.operands[operand], available, backward);
    if (operand == 0)
        return build.conv(transposed ? "forward" : "input_gradient", backward, full, op.getSecond(), op, kept);
    if (transposed)
        return build.conv("weight_gradient", backward, full, op.getFirst(), op, kept);
    return build.conv("weight_gradient", backward, op.getFirst(), full, op, kept);
}

/// The rules of a layer that split the rows of its result then split those of its gradient, whose needed rows are
/// fetched as those of the operand are.
void exchange_names(Subscripts &subscripts, const std::string &a, const std::string &b) {
    for (std::vector<std::string> &names : subscripts.operands)
        ir::exchange(names, a, b);
    ir::exchange(subscripts.result, a, b);
}

/// The gradient of a product with a sparse matrix is one with the transposed matrix.
Value spmm_gradient(LayerBuilder &build, ir::SpmmOp op, Value gradient) {
    const Subscripts forward = *ir::parse_subscripts(op.getSubscripts());
    const TensorType result = op.getResult().getType();
    const std::string kept_loop = op.matrixLoops().kept;
    const Value full = repeat(build, gradient, result, [&](StringRef role) {
        return forward.result[static_cast<size_t>(result.find(role))] == kept_loop;
    });
    Subscripts backward;
    backward.operands = {forward.operands[0], loops_of_gradient(full, result, forward.result)};
    const TensorType kept = keep_available(op.getOperand().getType(), forward.operands[1], backward.loops(), backward);
    if (op.getNumber() != 0 && !op.isHalf() && result.getExtents() == op.getOperand().getType().getExtents())
        exchange_names(backward, kept_loop, op.matrixLoops().summed);
    return build.spmm(backward, full, op, kept);
}

Value slice_gradient(LayerBuilder &build, ir::SliceOp op, Value gradient) {
    const Value full =
        repeat(build, gradient, op.getResult().getType(), [&](StringRef role) { return role == op.getDimension(); });
    return build.pad(full, op.getDimension(), static_cast<std::int64_t>(op.getBegin()),
                     without_missing(op.getOperand().getType(), full));
}

/// [begin, begin + the part's extent) of the gradient; the gradient itself if it is constant along the dimension.
Value part_of_gradient(LayerBuilder &build, Value gradient, TensorType whole, StringRef dimension, std::int64_t begin,
                       TensorType part) {
    if (type_of(gradient).find(dimension) < 0)
        return gradient;
    const Value ordered = repeat(build, gradient, whole, [](StringRef) { return false; });
    return build.slice(ordered, dimension, begin, without_missing(part, ordered));
}

Value pad_gradient(LayerBuilder &build, ir::PadOp op, Value gradient) {
    return part_of_gradient(build, gradient, op.getResult().getType(), op.getDimension(),
                            static_cast<std::int64_t>(op.getBefore()), op.getOperand().getType());
}

Value concat_gradient(LayerBuilder &build, ir::ConcatOp op, unsigned operand, Value gradient) {
    std::int64_t begin = 0;
    for (Value before : op.getInputs().take_front(operand)) {
        const TensorType type = type_of(before);
        begin += type.getExtents()[static_cast<size_t>(type.find(op.getDimension()))];
    }
    return part_of_gradient(build, gradient, op.getResult().getType(), op.getDimension(), begin,
                            type_of(op.getInputs()[operand]));
}

Value reshape_gradient(LayerBuilder &build, ir::ReshapeOp op, Value gradient) {
    return build.reshape(repeat_all(build, gradient, op.getResult().getType()), op.getOperand().getType());
}

Value embedding_gradient(LayerBuilder &build, ir::EmbeddingOp op, Value gradient) {
    const Value full = repeat_all(build, gradient, op.getResult().getType());
    return build.embedding_gradient(op.getIndices(), full, op.getDimension(), op.getTable().getType());
}

/// The gradient of a sum goes to everything that the windows touch; that of a maximum to its argmax, which the forward
/// pass then records.
Value pool_gradient(LayerBuilder &build, ir::PoolOp op, Value gradient) {
    const TensorType result = op.getResult().getType();
    const TensorType operand = type_of(op.getInputs()[0]);
    if (op.getKind() == "sum") {
        const auto windowed = [&](StringRef role) {
            return llvm::any_of(op.getWindows().getAsValueRange<mlir::StringAttr>(),
                                [&](StringRef window) { return window == role; });
        };
        const Value full = repeat(build, gradient, result, windowed);
        return build.pool("sum_gradient", full, op, without_missing(operand, full));
    }
    if (op.getKind() != "max")
        return {};
    mlir::OpBuilder behind(op.getContext());
    behind.setInsertionPointAfter(op);
    LayerBuilder forward(behind, op.getLoc(), text(op, "layer"), text(op, "phase"));
    const auto numbers =
        TensorType::get(op.getContext(), result.getRoles(), result.getExtents(), behind.getI32Type(), ir::LayoutAttr());
    const Value found = forward.pool("argmax", op.getInputs(), op, numbers);
    return build.pool("max_gradient", {repeat_all(build, gradient, result), found}, op, operand);
}

/// The part of the gradient that `operand` receives; empty if there is no rule.
Value Reverse::part_of(LayerBuilder &build, mlir::OpOperand &operand, Value gradient) {
    mlir::Operation *op = operand.getOwner();
    const unsigned number = operand.getOperandNumber();
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op)) {
        const Value part = pointwise_gradient(build, pointwise, number, gradient);
        return sum_to_operand(build, part, pointwise.getResult().getType(), type_of(operand.get()));
    }
    if (auto einsum = mlir::dyn_cast<ir::EinsumOp>(op))
        return einsum_gradient(build, einsum, number, gradient);
    if (auto conv = mlir::dyn_cast<ir::ConvOp>(op))
        return conv_gradient(build, conv, number, gradient);
    if (auto spmm = mlir::dyn_cast<ir::SpmmOp>(op))
        return spmm_gradient(build, spmm, gradient);
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return reduce.getReduction() == "sum" ? gradient : extremum_gradient(build, reduce, gradient);
    if (auto embedding = mlir::dyn_cast<ir::EmbeddingOp>(op))
        return embedding_gradient(build, embedding, gradient);
    if (auto slice = mlir::dyn_cast<ir::SliceOp>(op))
        return slice_gradient(build, slice, gradient);
    if (auto pad = mlir::dyn_cast<ir::PadOp>(op))
        return pad_gradient(build, pad, gradient);
    if (auto concat = mlir::dyn_cast<ir::ConcatOp>(op))
        return concat_gradient(build, concat, number, gradient);
    if (auto reshape = mlir::dyn_cast<ir::ReshapeOp>(op))
        return reshape_gradient(build, reshape, gradient);
    if (auto pool = mlir::dyn_cast<ir::PoolOp>(op))
        return pool_gradient(build, pool, gradient);
    if (auto attention = mlir::dyn_cast<ir::AttentionOp>(op)) {
        llvm::SmallVector<Value> &operands = of_attention_[op];
        if (operands.empty())
            operands = attention_gradient_operands(build, attention,
                                                   repeat_all(build, gradient, type_of(attention.getResult(0))));
        return attention_gradient(build, attention, number, operands);
    }
    return {};
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
        const Value part = part_of(build, operand, gradient);
        if (!part)
            return op->emitOpError() << "has no gradient";
        parts_[x].push_back(build.convert(part, type_of(x).getElementType()));
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
