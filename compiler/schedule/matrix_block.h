// The block of a sparse matrix by which an operation multiplies: rows and columns, with the axes that cut them.
#pragma once

#include "ir/plan_dialect.h"
#include "schedule/loop_nest.h"

#include <string>

namespace planc::schedule {

struct MatrixBlock {
    llvm::StringRef matrix;
    LoopDimension rows; ///< of the matrix, also where the operation multiplies by the transposed one
    LoopDimension columns;
    bool transposed = false;
    bool mean = false;
    std::int64_t parts = 0; ///< of the half of a matrix (plan.spmm): of how many parts; 0: it is whole
    bool sent = false;      ///< which half
};

/// Whether the operation multiplies by a block: a sparse product, or a sum over the entries of its rows.
[[nodiscard]] bool has_matrix_block(mlir::Operation *op);
/// Of such an operation.
[[nodiscard]] MatrixBlock matrix_block(mlir::Operation *op);

/// A loop with the axes that cut it; whole if no tensor has it.
[[nodiscard]] LoopDimension dimension_of_loop(ir::EdgeReduceOp op, const std::string &loop);

} // namespace planc::schedule
