// Pictures of the sparse matrices of a schedule: which ranks multiply by which block.
#pragma once

#include "report/chart.h"

#include <planrt/pattern.h>

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace planc::timeline {

/// Matrices by name.
using Patterns = std::map<std::string, const planrt::Pattern *>;

/// One for each way in which the operations of the schedule cut a matrix of `patterns` that has nonzeros, in the order
/// of their first operations. Transposed products and means have the blocks of the others.
[[nodiscard]] std::vector<report::MatrixChart> matrix_charts(mlir::ModuleOp scheduled, const Patterns &patterns);

} // namespace planc::timeline
