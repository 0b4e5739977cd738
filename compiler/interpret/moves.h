// Operations that move elements without arithmetic: slice, pad, concat, reshape.
#pragma once

#include "interpret/local.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace planc::interpret {

[[nodiscard]] bool is_move(mlir::Operation *op);

/// Fills `result`. Boxes agree on all loops of the operation's nest.
void move(mlir::Operation *op, const std::vector<const Local *> &operands, Local &result);

} // namespace planc::interpret
