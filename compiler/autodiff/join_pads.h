// The gradient of a value that is cut into slices, without a tensor of its whole size for each of them.
#pragma once

#include "ir/layer_builder.h"

namespace planc::autodiff {

/// Terms of a sum. Those that are 0 but for a range of one dimension, the gradients of slices, are joined: equal ranges
/// are added, and ranges that follow one another become one.
[[nodiscard]] llvm::SmallVector<mlir::Value> join_pads(ir::LayerBuilder &build, mlir::ArrayRef<mlir::Value> terms);

} // namespace planc::autodiff
