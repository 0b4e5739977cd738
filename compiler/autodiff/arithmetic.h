// Formulas of the update as pointwise operations and sums. Numbers take the element type of the tensor beside them.
//
//   Arithmetic of(builder, location, "h1", "h1.w");
//   Value change = of.add(of.mul(velocity, 0.9), gradient);
#pragma once

#include "ir/layer_builder.h"

namespace planc::autodiff {

class Arithmetic {
  public:
    /// The operations have phase "update"; those that belong to one parameter (not empty) have its name.
    Arithmetic(mlir::OpBuilder &builder, mlir::Location location, mlir::StringRef layer, mlir::StringRef parameter)
        : build_(builder, location, layer, "update"), parameter_(parameter) {}

    /// The result has the dimensions and the element type of the input with the most dimensions (the first of several).
    mlir::Value call(mlir::StringRef function, mlir::ArrayRef<mlir::Value> inputs);

    mlir::Value add(mlir::Value a, mlir::Value b) { return call("add", {a, b}); }
    mlir::Value add(mlir::Value a, double b) { return add(a, number(b, a)); }
    mlir::Value sub(mlir::Value a, mlir::Value b) { return call("sub", {a, b}); }
    mlir::Value mul(mlir::Value a, mlir::Value b) { return call("mul", {a, b}); }
    mlir::Value mul(mlir::Value a, double b) { return mul(a, number(b, a)); }
    mlir::Value div(mlir::Value a, mlir::Value b) { return call("div", {a, b}); }
    mlir::Value square(mlir::Value a) { return call("square", {a}); }
    mlir::Value sqrt(mlir::Value a) { return call("sqrt", {a}); }

    /// A number in f64, without dimensions.
    mlir::Value scalar(double value) { return build_.constant(value, build_.builder().getF64Type()); }
    mlir::Value step() { return build_.step(); }
    /// A number in the element type of `like`.
    mlir::Value number(double value, mlir::Value like) {
        return build_.constant(value, ir::type_of(like).getElementType());
    }
    /// Converts the value to the element type of `like`; returns the value itself if it has that type.
    mlir::Value as(mlir::Value value, mlir::Value like) { return convert(value, ir::type_of(like).getElementType()); }
    mlir::Value as_f64(mlir::Value value) { return convert(value, build_.builder().getF64Type()); }

    /// Sum of the squares of all elements, f64; those of f32 tensors are added in f32.
    mlir::Value sum_of_squares(mlir::Value value);

  private:
    mlir::Value convert(mlir::Value value, mlir::Type element);
    mlir::Value marked(mlir::Value made);

    ir::LayerBuilder build_;
    mlir::StringRef parameter_;
};

} // namespace planc::autodiff
