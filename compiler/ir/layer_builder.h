// Builds operations of one layer and phase, with their result types.
//
//   LayerBuilder build(builder, location, "logits", "forward");
//   Value top = build.reduce("max", logits, {"digit"});                       // [batch]
//   Value shifted = build.pointwise("sub", {logits, top}, type_of(logits));   // [batch, digit]
#pragma once

#include "ir/plan_dialect.h"
#include "ir/subscripts.h"

#include <string>

namespace planc::ir {

[[nodiscard]] TensorType type_of(mlir::Value value);

/// `like` without the dimensions for which `keep` is false.
[[nodiscard]] TensorType filter_dimensions(TensorType like, llvm::function_ref<bool(mlir::StringRef role)> keep);

class LayerBuilder {
  public:
    /// Empty: the operations carry no layer, no phase.
    LayerBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::StringRef layer, mlir::StringRef phase);

    mlir::Value constant(double value, mlir::Type element);
    mlir::Value iota(mlir::StringAttr role, std::int64_t extent, mlir::Type element);

    /// See plan.random; `samples` may be empty.
    mlir::Value random(mlir::StringRef key, mlir::StringRef samples, TensorType type);
    /// Steps done, f64.
    mlir::Value step();

    /// The result has those dimensions of `like`, in its order, that some input has, and its element type.
    mlir::Value pointwise(mlir::StringRef function, mlir::ValueRange inputs, TensorType like);
    /// The value repeated along the dimensions of `type` that it lacks; itself if it lacks none.
    mlir::Value broadcast(mlir::Value value, TensorType type);

    /// Over the dimensions named; the value itself if there are none.
    mlir::Value reduce(mlir::StringRef reduction, mlir::Value operand, mlir::ArrayRef<mlir::StringRef> over);
    /// Over all dimensions that `kept` lacks.
    mlir::Value reduce_to(mlir::StringRef reduction, mlir::Value operand, TensorType kept);

    /// The value in another element type; itself if it has that.
    mlir::Value convert(mlir::Value value, mlir::Type element);

    // Results are of the types given, with the dimensions that the operand has.
    mlir::Value slice(mlir::Value operand, mlir::StringRef dimension, std::int64_t begin, TensorType result);
    mlir::Value pad(mlir::Value operand, mlir::StringRef dimension, std::int64_t before, TensorType result);
    mlir::Value reshape(mlir::Value operand, TensorType result);
    /// With the windows of `like`.
    mlir::Value pool(mlir::StringRef kind, mlir::ValueRange inputs, PoolOp like, TensorType result);
    mlir::Value embedding_gradient(mlir::Value indices, mlir::Value gradient, mlir::StringRef dimension,
                                   TensorType table);

    /// Another kind of the same convolution (plan.conv).
    mlir::Value conv(mlir::StringRef kind, const Subscripts &subscripts, mlir::Value first, mlir::Value second,
                     ConvOp like, TensorType result);

    mlir::Value einsum(const Subscripts &subscripts, mlir::ValueRange inputs, TensorType result);

    [[nodiscard]] mlir::OpBuilder &builder() { return builder_; }
    [[nodiscard]] mlir::Location location() const { return location_; }
    [[nodiscard]] mlir::StringAttr layer() const { return layer_; }
    [[nodiscard]] mlir::StringAttr phase() const { return phase_; }

  private:
    mlir::OpBuilder &builder_;
    mlir::Location location_;
    mlir::StringAttr layer_;
    mlir::StringAttr phase_;
};

} // namespace planc::ir
