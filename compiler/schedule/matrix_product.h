// How BLAS computes a product of two operands in place: which loops are rows, columns and summed index of the matrix
// products, and which loops run around them. Neighbouring dimensions run as one index.
//
//   scores of attention, "batch query head feature, batch key head feature -> batch head query key":
//   outer {batch}, {head}; rows {query}, summed {feature}, columns {key}; b transposed; the row strides of a and b are
//   head * feature, that of the result key.
#pragma once

#include "ir/subscripts.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planc::schedule {

using Loops = std::vector<std::string>;

struct MatrixProduct {
    std::vector<Loops> outer; ///< each group runs as one index
    Loops rows;
    Loops columns;
    Loops summed;
    bool swapped = false; ///< rows are b's: the transposed result is the product of the transposed operands
    bool transpose_a = false;
    bool transpose_b = false;
};

/// Empty if an operand must be permuted first. `extent` returns the extent of a loop.
[[nodiscard]] std::optional<MatrixProduct>
matrix_product(const ir::Subscripts &subscripts, const std::function<std::int64_t(const std::string &)> &extent);

} // namespace planc::schedule
