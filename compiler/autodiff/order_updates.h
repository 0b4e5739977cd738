// Orders an update's operations so that norms are reduced together.
#pragma once

#include "mlir/IR/Block.h"

namespace planc::autodiff {

/// Reorders the operations of phase `update`: first those that need no norm (a `plan.reduce` to a scalar), then those
/// that need one norm after another. Operations whose results are used only by operations that wait for a norm wait
/// with them, to share their loop. All norms of one kind are then complete before any of them is used, and those that
/// are partial sums share few calls (sharding/bucket.h) instead of one for each parameter.
void order_by_norms(mlir::Block &block);

} // namespace planc::autodiff
