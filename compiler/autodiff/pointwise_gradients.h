// The derivatives of the pointwise functions, one table.
#pragma once

#include "ir/layer_builder.h"

namespace planc::autodiff {

/// Can the function be differentiated with respect to this operand? (Not comparisons, conditions, stop_gradient.)
[[nodiscard]] bool has_derivative(mlir::StringRef function, unsigned operand);

/// `gradient` times the derivative with respect to an operand; dimensions are some of the result's.
[[nodiscard]] mlir::Value pointwise_gradient(ir::LayerBuilder &build, ir::PointwiseOp op, unsigned operand,
                                             mlir::Value gradient);

} // namespace planc::autodiff
