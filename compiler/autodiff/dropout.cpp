#include "autodiff/dropout.h"

#include "ir/entry_functions.h"
#include "ir/layer_builder.h"

#include <cmath>

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::TensorType;
using mlir::StringRef;
using mlir::Value;

namespace {

/// Random numbers are multiples of 2^-24 (planrt/random.h). The next one above the rate gives the same decisions in f32
/// and f64.
double threshold(double rate) {
    return std::ceil(std::ldexp(rate, 24)) / std::ldexp(1.0, 24);
}

Value masked(LayerBuilder &build, ir::DropoutOp op, StringRef samples) {
    const TensorType type = op.getResult().getType();
    const mlir::Type element = type.getElementType();
    const double rate = op.getRate().convertToDouble();
    const Value random = build.random(op.getKey(), type.find(samples) >= 0 ? samples : StringRef(), type);
    const Value kept = build.pointwise("greater_equal", {random, build.constant(threshold(rate), element)}, type);
    const Value scaled = build.pointwise("mul", {op.getOperand(), build.constant(1 / (1 - rate), element)}, type);
    return build.pointwise("select", {kept, scaled, build.constant(0, element)}, type);
}

} // namespace

void apply_dropout(mlir::func::FuncOp function) {
    const StringRef samples = ir::sample_dimension(function);
    mlir::OpBuilder builder(function.getContext());
    function.walk([&](ir::DropoutOp op) {
        builder.setInsertionPoint(op);
        LayerBuilder build(builder, op.getLoc(), op.getLayer().value_or(""), op.getPhase().value_or(""));
        op.getResult().replaceAllUsesWith(masked(build, op, samples));
        op.erase();
    });
}

void remove_dropout(mlir::func::FuncOp function) {
    function.walk([](ir::DropoutOp op) {
        op.getResult().replaceAllUsesWith(op.getOperand());
        op.erase();
    });
}

} // namespace planc::autodiff
