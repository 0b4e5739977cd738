// The order of vertices, and where it is cut into consecutive parts, one for each rank. Plain C++, no MPI. The order
// by METIS is the compiler's only (library planrt_graph, built with METIS); a program has its result as text.
//
//   const std::vector<std::int32_t> order = order_vertices(a, {VertexOrdering::metis, 0});
//   const Pattern b = permuted(a, order, order);
#pragma once

#include <planrt/pattern.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planrt {

/// parts + 1 numbers: part p is [cuts[p], cuts[p + 1]). Parts may be empty.
using Cuts = std::vector<std::int64_t>;

/// Parts whose sizes differ by at most one, the larger ones first, as block() in layout.h makes them.
[[nodiscard]] Cuts equal_cuts(std::int64_t extent, int parts);

/// Cuts of rows for which the largest cost of a part is as small as it can be, where a row costs `row_cost` and each of
/// its nonzeros 1. `row_begin` as in Pattern. Among those, cuts near equal shares. A row with very many nonzeros is a
/// lower limit, since rows are not cut. 0 <= row_cost <= 2^20; row_cost * rows + nonzeros is below 2^62.
[[nodiscard]] Cuts balanced_cuts(std::span<const std::int64_t> row_begin, int parts, std::int64_t row_cost);

enum class VertexOrdering : std::uint8_t {
    file,   ///< as they are
    random, ///< by the seed, the same on every machine
    metis   ///< neighbours near each other, so that equal parts have few edges between them and alike many inside: see
            ///< order_vertices()
};

struct OrderRequest {
    VertexOrdering ordering = VertexOrdering::file;
    std::uint64_t seed = 0; ///< of random
};

/// order[i] is the number, in the file, of vertex i of the order. METIS (Karypis and Kumar 1998) halves the graph so
/// that few edges are cut and both halves have as many vertices and about as many edges, then each half, and so on: the
/// order does not depend on the number of parts into which it will be cut, and is best for powers of two. Of the square
/// matrix, METIS sees which vertices have an edge in either direction, without self loops. Errors: std::runtime_error
/// if this library was built without METIS, or if METIS fails.
[[nodiscard]] std::vector<std::int32_t> order_vertices(const Pattern &pattern, const OrderRequest &request);

/// Whether order_vertices() can ask METIS.
[[nodiscard]] bool has_metis();

/// An order as letters, digits, '+' and '-': a few for each vertex.
[[nodiscard]] std::string text_of_order(std::span<const std::int32_t> order);
/// The order of so many vertices that the text is of.
[[nodiscard]] std::vector<std::int32_t> order_of_text(std::string_view text, std::int64_t vertices);

} // namespace planrt
