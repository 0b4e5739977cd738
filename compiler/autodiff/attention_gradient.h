// The gradients of plan.attention, which are kinds of the same operation: they compute the scores again.
#pragma once

#include "ir/layer_builder.h"

namespace planc::autodiff {

/// What the gradients of one attention take: its operands, the total of each query, which the forward pass then
/// computes besides, the gradient of the output, with all of its dimensions, and the sum of its products with the
/// output.
[[nodiscard]] llvm::SmallVector<mlir::Value> attention_gradient_operands(ir::LayerBuilder &build, ir::AttentionOp op,
                                                                         mlir::Value gradient);

/// That of the queries (operand 0), the keys (1) or the values (2).
[[nodiscard]] mlir::Value attention_gradient(ir::LayerBuilder &build, ir::AttentionOp op, unsigned operand,
                                             mlir::ValueRange operands);

} // namespace planc::autodiff
