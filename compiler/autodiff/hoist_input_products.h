// Sparse products of inputs, which the runtime computes at set-up.
#pragma once

#include "ir/plan_dialect.h"

namespace planc::autodiff {

/// Whether `op`, applied to dimension `summed` of `x`, is such a product: `x` is an input, and the product could take
/// its place among the fields of the data, because its rows, dimension `row` of op's result, are x's. In a step on all
/// samples only.
[[nodiscard]] bool is_input_product(mlir::Value x, unsigned summed, ir::SpmmOp op, unsigned row);

} // namespace planc::autodiff
