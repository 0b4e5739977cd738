#include "ir/layer_builder.h"

namespace planc::ir {

using mlir::SmallVector;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::Value;

TensorType type_of(Value value) {
    return mlir::cast<TensorType>(value.getType());
}

TensorType filter_dimensions(TensorType like, llvm::function_ref<bool(StringRef role)> keep) {
    SmallVector<StringAttr> roles;
    SmallVector<int64_t> extents;
    for (auto [role, extent] : llvm::zip(like.getRoles(), like.getExtents())) {
        if (!keep(role.getValue()))
            continue;
        roles.push_back(role);
        extents.push_back(extent);
    }
    return TensorType::get(like.getContext(), roles, extents, like.getElementType(), LayoutAttr());
}

LayerBuilder::LayerBuilder(mlir::OpBuilder &builder, mlir::Location location, StringRef layer, StringRef phase)
    : builder_(builder), location_(location) {
    if (!layer.empty())
        layer_ = builder.getStringAttr(layer);
    if (!phase.empty())
        phase_ = builder.getStringAttr(phase);
}

Value LayerBuilder::constant(double value, mlir::Type element) {
    const auto type = TensorType::get(builder_.getContext(), {}, {}, element, LayoutAttr());
    return builder_.create<ConstantOp>(location_, type, builder_.getF64FloatAttr(value), layer_, phase_,
                                       StrategyAttr());
}

Value LayerBuilder::iota(StringAttr role, std::int64_t extent, mlir::Type element) {
    const auto type = TensorType::get(builder_.getContext(), {role}, {extent}, element, LayoutAttr());
    return builder_.create<IotaOp>(location_, type, layer_, phase_, StrategyAttr());
}

Value LayerBuilder::random(StringRef key, StringRef samples, TensorType type) {
    return builder_.create<RandomOp>(location_, type, builder_.getStringAttr(key),
                                     samples.empty() ? StringAttr() : builder_.getStringAttr(samples), layer_, phase_,
                                     StrategyAttr());
}

Value LayerBuilder::step() {
    const auto type = TensorType::get(builder_.getContext(), {}, {}, builder_.getF64Type(), LayoutAttr());
    return builder_.create<StepOp>(location_, type, layer_, phase_, StrategyAttr());
}

Value LayerBuilder::pointwise(StringRef function, mlir::ValueRange inputs, TensorType like) {
    const TensorType type = filter_dimensions(like, [&](StringRef role) {
        return llvm::any_of(inputs, [&](Value input) { return type_of(input).find(role) >= 0; });
    });
    return builder_.create<PointwiseOp>(location_, type, builder_.getStringAttr(function), inputs, layer_, phase_,
                                        StrategyAttr());
}

Value LayerBuilder::broadcast(Value value, TensorType type) {
    if (value.getType() == type)
        return value;
    return builder_.create<PointwiseOp>(location_, type, builder_.getStringAttr("identity"), value, layer_, phase_,
                                        StrategyAttr());
}

Value LayerBuilder::reduce(StringRef reduction, Value operand, mlir::ArrayRef<StringRef> over) {
    const TensorType from = type_of(operand);
    const TensorType to = filter_dimensions(from, [&](StringRef role) { return !llvm::is_contained(over, role); });
    return reduce_to(reduction, operand, to);
}

Value LayerBuilder::reduce_to(StringRef reduction, Value operand, TensorType kept) {
    const TensorType from = type_of(operand);
    const TensorType to = filter_dimensions(from, [&](StringRef role) { return kept.find(role) >= 0; });
    if (to == from)
        return operand;
    return builder_.create<ReduceOp>(location_, to, builder_.getStringAttr(reduction), operand, layer_, phase_,
                                     StrategyAttr());
}

Value LayerBuilder::convert(Value value, mlir::Type element) {
    const TensorType from = type_of(value);
    if (from.getElementType() == element)
        return value;
    const auto to = TensorType::get(from.getContext(), from.getRoles(), from.getExtents(), element, LayoutAttr());
    return builder_.create<PointwiseOp>(location_, to, builder_.getStringAttr("identity"), value, layer_, phase_,
                                        StrategyAttr());
}

Value LayerBuilder::slice(Value operand, StringRef dimension, std::int64_t begin, TensorType result) {
    return builder_.create<SliceOp>(location_, result, operand, builder_.getStringAttr(dimension),
                                    builder_.getI64IntegerAttr(begin), layer_, phase_, StrategyAttr());
}

Value LayerBuilder::concat(mlir::ValueRange operands, StringRef dimension, TensorType result) {
    return builder_.create<ConcatOp>(location_, result, operands, builder_.getStringAttr(dimension), layer_, phase_,
                                     StrategyAttr());
}

Value LayerBuilder::pad(Value operand, StringRef dimension, std::int64_t before, TensorType result) {
    return builder_.create<PadOp>(location_, result, operand, builder_.getStringAttr(dimension),
                                  builder_.getI64IntegerAttr(before), layer_, phase_, StrategyAttr());
}

Value LayerBuilder::reshape(Value operand, TensorType result) {
    return builder_.create<ReshapeOp>(location_, result, operand, layer_, phase_, StrategyAttr());
}

Value LayerBuilder::pool(StringRef kind, mlir::ValueRange inputs, PoolOp like, TensorType result) {
    return builder_.create<PoolOp>(location_, result, builder_.getStringAttr(kind), inputs, like.getWindowsAttr(),
                                   like.getKernelsAttr(), like.getStridesAttr(), like.getDilationsAttr(),
                                   like.getPaddingsAttr(), layer_, phase_, StrategyAttr());
}

Value LayerBuilder::attention(StringRef kind, mlir::ValueRange inputs, AttentionOp like, TensorType result) {
    return builder_
        .create<AttentionOp>(location_, mlir::TypeRange(result), builder_.getStrArrayAttr(kind), inputs,
                             like.getKeyAttr(), like.getFeatureAttr(), like.getPositionAttr(), like.getWindowAttr(),
                             like.getMaskedAttr(), layer_, phase_, StrategyAttr())
        .getResult(0);
}

Value LayerBuilder::embedding_gradient(Value indices, Value gradient, StringRef dimension, TensorType table) {
    return builder_.create<EmbeddingGradientOp>(location_, table, indices, gradient, builder_.getStringAttr(dimension),
                                                layer_, phase_, StrategyAttr());
}

Value LayerBuilder::conv(StringRef kind, const Subscripts &subscripts, Value first, Value second, ConvOp like,
                         TensorType result) {
    return builder_.create<ConvOp>(location_, result, builder_.getStringAttr(kind),
                                   builder_.getStringAttr(subscripts.text()), first, second, Value(),
                                   like.getWindowsAttr(), like.getKernelsAttr(), like.getStridesAttr(),
                                   like.getDilationsAttr(), like.getPaddingsAttr(), layer_, phase_, StrategyAttr());
}

Value LayerBuilder::spmm(const Subscripts &subscripts, Value operand, SpmmOp like, TensorType result) {
    return builder_.create<SpmmOp>(location_, result, like.getMatrixAttr(), builder_.getStringAttr(subscripts.text()),
                                   operand, like.getNonzerosAttr(), like.getMeanAttr(), like.getNumberAttr(),
                                   like.getPartsAttr(), like.getSentAttr(), layer_, phase_, StrategyAttr());
}

Value LayerBuilder::einsum(const Subscripts &subscripts, mlir::ValueRange inputs, TensorType result) {
    return builder_.create<EinsumOp>(location_, result, builder_.getStringAttr(subscripts.text()), inputs, layer_,
                                     phase_, StrategyAttr());
}

} // namespace planc::ir
