// The derivatives of the pointwise functions, in one table.
#pragma once

#include "ir/layer_builder.h"

namespace planc::autodiff {

/// Whether the function can be differentiated with respect to this operand. (Comparisons, conditions and stop_gradient
/// cannot.)
[[nodiscard]] bool has_derivative(mlir::StringRef function, unsigned operand);

/// `gradient` times the derivative with respect to an operand; its dimensions are a subset of the result's.
[[nodiscard]] mlir::Value pointwise_gradient(ir::LayerBuilder &build, ir::PointwiseOp op, unsigned operand,
                                             mlir::Value gradient);

} // namespace planc::autodiff
