// The sparse matrices of a module's networks, as far as the data tell: the attribute `plan.matrices`.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <planrt/pattern.h>

#include <map>
#include <string>

namespace planc::ir {

struct KnownMatrix {
    int number = 0;               ///< of its nonzeros (planrt/needed_rows.h)
    bool has_values = false;      ///< one for each nonzero: they are not all alike
    bool mean_has_values = false; ///< the same, each divided by the number of nonzeros in its row
};
using KnownMatrices = std::map<std::string, KnownMatrix, std::less<>>; ///< by name

[[nodiscard]] KnownMatrix known_matrix(const planrt::Pattern &pattern);
[[nodiscard]] KnownMatrices matrices_of(mlir::ModuleOp module);
void set_matrices(mlir::ModuleOp module, const KnownMatrices &matrices);

} // namespace planc::ir
