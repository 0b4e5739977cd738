// A summary of the sparse matrices that a network is trained on, before anything is laid out: how many nonzeros they
// and their rows have, and the rows that a one-dimensional product moves, by the order of the vertices.
#pragma once

#include "sema/program.h"
#include "support/json.h"

#include <planrt/sparse_traffic.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::driver {

/// Of a square matrix whose vertices are cut into so many consecutive parts, as equal as possible.
struct PartsSummary {
    int parts = 0;
    planrt::RowsMoved moved;        ///< by one product, to all parts together
    std::int64_t most_nonzeros = 0; ///< of a part
};

struct OrderSummary {
    std::string name; ///< "order of the file"
    std::vector<PartsSummary> parts;
};

struct MatrixSummary {
    std::string name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t nonzeros = 0;
    std::int64_t least_degree = 0; ///< nonzeros of a row
    std::int64_t most_degree = 0;
    std::vector<OrderSummary> orders; ///< none: the matrix is not square, or has no nonzeros
};

/// Of each matrix: in the order of its file, in that of the training, and in one by METIS, if this planc has METIS and
/// the matrix has at most two million nonzeros.
[[nodiscard]] std::vector<MatrixSummary> summarize_matrices(const sema::Program &program, const sema::Train &train);

[[nodiscard]] std::string text_report(const std::vector<MatrixSummary> &matrices);
/// The value of a member.
void write_json(const std::vector<MatrixSummary> &matrices, support::JsonWriter &json);

} // namespace planc::driver
