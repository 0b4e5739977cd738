// The order of sparse and dense products: a (x w) or (a x) w.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::autodiff {

enum class SparseFirst : std::uint8_t {
    where_cheaper, ///< where the sparse products of a step then have fewer columns
    always
};

/// Takes each a (x w) of the function as (a x) w, where that is wanted and the names of its loops allow it.
void order_products(mlir::func::FuncOp loss, SparseFirst wanted);

} // namespace planc::autodiff
