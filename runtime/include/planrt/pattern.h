// A sparse matrix by rows (CSR): which entries are not zero, and their values. The compiler, which derives what a
// distributed product moves, and the runtime, which moves it, share this file. Plain C++, no MPI.
//
// A product is y[v] = the sum over u of A[v, u] x[u]. Of a graph's edge from u to v, the target v is the row and the
// source u is the column: a vertex receives from the sources of its edges.
//
// Example: edges 0 → 1, 2 → 1, 1 → 2 of 3 vertices, with rows {1, 1, 2} and columns {0, 2, 1}:
//   pattern_of(3, 3, rows, columns) == Pattern{3, 3, {0, 0, 2, 3}, {0, 2, 1}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace planrt {

/// Rows and columns have 32-bit numbers; nonzeros are counted in 64 bits.
inline constexpr std::int64_t most_vertices = std::numeric_limits<std::int32_t>::max();

struct Pattern {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> row_begin{0}; ///< rows + 1: the nonzeros of row v are [row_begin[v], row_begin[v + 1])
    std::vector<std::int32_t> column;       ///< of each nonzero; ascending within a row, none twice
    std::vector<double> values;             ///< of each nonzero; left out where all are `value`
    double value = 1;

    [[nodiscard]] std::int64_t nonzeros() const { return row_begin.back(); }
    /// The number of nonzeros of a row.
    [[nodiscard]] std::int64_t degree(std::int64_t row) const { return row_begin[row + 1] - row_begin[row]; }
    [[nodiscard]] std::span<const std::int32_t> columns_of(std::int64_t row) const {
        return std::span(column).subspan(static_cast<std::size_t>(row_begin[row]),
                                         static_cast<std::size_t>(degree(row)));
    }
    [[nodiscard]] double value_of(std::int64_t nonzero) const { return values.empty() ? value : values[nonzero]; }
    friend bool operator==(const Pattern &, const Pattern &) = default;
};

/// The matrix with these entries, in any order; the values of an entry that occurs several times add up, in the order
/// given. `row` and `column` are equally long and within the extents; `values` likewise, or empty: all are 1.
[[nodiscard]] Pattern pattern_of(std::int64_t rows, std::int64_t columns, std::span<const std::int32_t> row,
                                 std::span<const std::int32_t> column, std::span<const double> values = {});

/// The matrix with rows and columns exchanged.
[[nodiscard]] Pattern transposed(const Pattern &pattern);

/// Row i of the result is row rows[i], and likewise for columns. Both are permutations, or empty: as they are.
[[nodiscard]] Pattern permuted(const Pattern &pattern, std::span<const std::int32_t> rows,
                               std::span<const std::int32_t> columns);

/// The same number on every machine for the same extents and nonzeros, whatever their order in the file, and whatever
/// their values, but for the last bit: it is 1 if these are all alike. Another one for others (but for 1 in 2^63).
[[nodiscard]] std::uint64_t fingerprint(const Pattern &pattern);

/// The numbers of nonzeros of all columns.
[[nodiscard]] std::vector<std::int64_t> column_degrees(const Pattern &pattern);

/// Leaves the values out if all are alike.
void drop_alike_values(Pattern &pattern);

} // namespace planrt
