// The order of vertices, and where it is cut into consecutive parts, one for each rank. Plain C++, no MPI. The order
// by METIS is the compiler's only (library planrt_graph, built with METIS); the runtime is given its result.
//
//   const VertexOrder order = order_vertices(a, {VertexOrdering::metis, 0, 4});
//   const Pattern b = permuted(a, order.vertices);    // part p of b: [order.cuts[p], order.cuts[p + 1])
#pragma once

#include <planrt/pattern.h>

#include <cstdint>
#include <span>
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
    metis   ///< parts with few edges between them (Karypis and Kumar 1998); a vertex weighs its degree + 1
};

struct OrderRequest {
    VertexOrdering ordering = VertexOrdering::file;
    std::uint64_t seed = 0; ///< for random and metis
    int parts = 1;
};

struct VertexOrder {
    std::vector<std::int32_t> vertices; ///< vertices[i]: the number, in the file, of vertex i of the new order
    Cuts cuts;                          ///< for metis its parts, otherwise equal ones
};

/// The order of the vertices of a square matrix; within a part of METIS they keep the order of the file. Of the
/// matrix, METIS sees which vertices have an edge in either direction, without self loops; with one part, with as many
/// parts as vertices, or without edges, it is not asked. Errors: std::runtime_error if this library was built without
/// METIS, or if METIS fails.
[[nodiscard]] VertexOrder order_vertices(const Pattern &pattern, const OrderRequest &request);

/// Whether order_vertices() can ask METIS.
[[nodiscard]] bool has_metis();

} // namespace planrt
