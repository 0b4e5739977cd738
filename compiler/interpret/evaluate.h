// One operation on one rank's parts of its operands.
#pragma once

#include "interpret/local.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace planc::interpret {

/// `operands` in order; `boxes` are those of the results on this rank. Runs the operation's loop nest over the local
/// ranges, which all tensors that have a loop must agree on: throws Failure otherwise. `step` counts from 0.
[[nodiscard]] std::vector<Local> evaluate(mlir::Operation *op, const std::vector<const Local *> &operands,
                                          const std::vector<planrt::Box> &boxes, std::int64_t step);

} // namespace planc::interpret
