// The loop nests of operations: what the planner, the lowering and the interpreter know about an operation.
//
//   %y = plan.einsum "batch pixel, pixel hidden -> batch hidden" (%x, %w)
//   loops batch (parallel), pixel (reduced by sum), hidden (parallel); operands {0 1} {1 2}; result {0 2}
//
// Loops of an einsum are named by its subscripts, those of the others by the roles of their dimensions.
#pragma once

#include "ir/plan_dialect.h"

#include "sharding/nest.h"

namespace planc::ir {

/// The nest of an operation that has one (NestInterface). Operands and results are all of the operation's, in order.
[[nodiscard]] sharding::Nest nest_of(mlir::Operation *operation);

/// The number, if the value is a `plan.constant`.
[[nodiscard]] std::optional<double> constant_value(mlir::Value value);

} // namespace planc::ir
