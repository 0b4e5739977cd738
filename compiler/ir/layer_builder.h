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

/// Returns `like` without the dimensions for which `keep` is false.
[[nodiscard]] TensorType filter_dimensions(TensorType like, llvm::function_ref<bool(mlir::StringRef role)> keep);

class LayerBuilder {
  public:
    /// An empty layer or phase: the operations have none.
    LayerBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::StringRef layer, mlir::StringRef phase);

    mlir::Value constant(double value, mlir::Type element);
    mlir::Value iota(mlir::StringAttr role, std::int64_t extent, mlir::Type element);

    /// See plan.random; `samples` may be empty.
    mlir::Value random(mlir::StringRef key, mlir::StringRef samples, TensorType type);
    /// The number of steps done, in f64.
    mlir::Value step();

    /// The result has the element type of `like` and, in its order, those of its dimensions that some input has.
    mlir::Value pointwise(mlir::StringRef function, mlir::ValueRange inputs, TensorType like);
    /// Repeats the value along the dimensions of `type` that it lacks; returns the value itself if it lacks none.
    mlir::Value broadcast(mlir::Value value, TensorType type);

    /// Reduces over the named dimensions; returns the value itself if there are none.
    mlir::Value reduce(mlir::StringRef reduction, mlir::Value operand, mlir::ArrayRef<mlir::StringRef> over);
    /// Reduces over all dimensions that `kept` lacks.
    mlir::Value reduce_to(mlir::StringRef reduction, mlir::Value operand, TensorType kept);

    /// Converts to another element type; returns the value itself if it has that type.
    mlir::Value convert(mlir::Value value, mlir::Type element);

    // The results have the given types, with the dimensions of the operand.
    mlir::Value slice(mlir::Value operand, mlir::StringRef dimension, std::int64_t begin, TensorType result);
    mlir::Value concat(mlir::ValueRange operands, mlir::StringRef dimension, TensorType result);
    mlir::Value pad(mlir::Value operand, mlir::StringRef dimension, std::int64_t before, TensorType result);
    mlir::Value reshape(mlir::Value operand, TensorType result);
    /// A pool with the windows of `like`.
    mlir::Value pool(mlir::StringRef kind, mlir::ValueRange inputs, PoolOp like, TensorType result);
    /// Another kind of the same attention.
    mlir::Value attention(mlir::StringRef kind, mlir::ValueRange inputs, AttentionOp like, TensorType result);
    mlir::Value embedding_gradient(mlir::Value indices, mlir::Value gradient, mlir::StringRef dimension,
                                   TensorType table);

    /// Another kind of the same convolution (plan.conv).
    mlir::Value conv(mlir::StringRef kind, const Subscripts &subscripts, mlir::Value first, mlir::Value second,
                     ConvOp like, TensorType result);

    /// A product with the matrix of `like`.
    mlir::Value spmm(const Subscripts &subscripts, mlir::Value operand, SpmmOp like, TensorType result);

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
