// The loop nests of operations. A nest is all that planner, lowering and interpreter know about an operation.
//
//   %y = plan.einsum "batch pixel, pixel hidden -> batch hidden" (%x, %w)
//   loops batch (parallel), pixel (reduced by sum), hidden (parallel); operands {0 1} {1 2}; result {0 2}
//
// The subscripts of an einsum name its loops; the loops of other operations are named by the roles of their dimensions.
#pragma once

#include "ir/plan_dialect.h"

#include "sharding/nest.h"

namespace planc::ir {

/// The nest of an operation that has one (NestInterface). It covers all operands and results, in order.
[[nodiscard]] sharding::Nest nest_of(mlir::Operation *operation);

/// Of the matrix with this number (planrt/needed_rows.h; negative: transposed) between two loops of the nest.
[[nodiscard]] sharding::SparseLoops sparse_loops(const sharding::Nest &nest, int outer, int inner,
                                                 std::int64_t nonzeros, std::int64_t matrix);

/// The number, if the value is a `plan.constant`.
[[nodiscard]] std::optional<double> constant_value(mlir::Value value);

} // namespace planc::ir
