// Reverse accumulation on loop nests.
//
// A gradient may lack dimensions of its value; it is then constant along them. So the gradient of a mean is one number,
// and nothing is broadcast before an operation needs it.
#pragma once

#include "ir/layer_builder.h"

#include <utility>
#include <vector>

namespace planc::autodiff {

/// The variable's value at the beginning of the step, and the gradient with respect to it, of the same type.
struct ParameterGradient {
    ir::ReadOp parameter;
    mlir::Value gradient;
};

/// Appends to the block of `loss` (at the builder's insertion point) the gradients of that scalar with respect to all
/// variables on which it depends, in the order of their reads. Values that depend on no variable get no gradient.
/// Fails, with a message at the operation, if an operation has no rule.
mlir::FailureOr<std::vector<ParameterGradient>> add_gradients(mlir::Value loss, mlir::OpBuilder &builder);

/// Turns a part of the gradient of `operand`, whose dimensions are some of `space` (those of the operation's result),
/// into one of the operand: sums over what the operand lacks. Dimensions of `space` that neither has count with their
/// extent.
[[nodiscard]] mlir::Value sum_to_operand(ir::LayerBuilder &build, mlir::Value part, ir::TensorType space,
                                         ir::TensorType operand);

} // namespace planc::autodiff
