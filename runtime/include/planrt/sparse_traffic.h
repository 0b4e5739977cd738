// What a distributed product y = A x has to move. The rows of A (and of y) are cut into consecutive parts, and so are
// its columns (and the rows of x); each pair of parts is a block of A. Plain C++, no MPI.
//
// For each nonzero A[v, u] of a block, one of two rows moves from the owner of u to the owner of v: row u of x, which
// is fetched, or a partial sum of row v of y, which is sent. So the rows that are moved cover the block's nonzeros.
// Three ways to choose them:
//   broadcast  all rows of x
//   needed     the rows of x that have a nonzero: the block's columns that are not empty
//   cover      as few rows of x and partial rows of y as possible: a minimum vertex cover of the bipartite graph of the
//              block's rows, columns and nonzeros (König 1931)
//
// One-dimensional: rank p has part p of y and of x, by the same cuts, and all blocks of its rows; it moves nothing for
// block (p, p). On a grid, cut both sides as finely as the owners differ.
//
// Example: edges 0 → 2, 0 → 3, 1 → 3, cut as {0, 2, 4}: block (1, 0) has 3 nonzeros in 2 rows and 2 columns, and cover
// 2: row 0 of x and row 3 of y.
#pragma once

#include <planrt/layout.h>
#include <planrt/pattern.h>
#include <planrt/vertex_order.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

/// A block that is not empty. All but the parts are counts.
struct BlockTraffic {
    int row_part = 0;
    int column_part = 0;
    std::int64_t nonzeros = 0;
    std::int64_t rows = 0;          ///< that have a nonzero
    std::int64_t columns = 0;       ///< that have a nonzero: the needed rows of x (needed_rows.h)
    std::int64_t cover_rows = 0;    ///< of the cover: the partial rows of y that are sent
    std::int64_t cover_columns = 0; ///< of the cover: the rows of x that are fetched
    [[nodiscard]] std::int64_t cover() const { return cover_rows + cover_columns; }
    friend bool operator==(const BlockTraffic &, const BlockTraffic &) = default;
};

/// What is counted of a block.
enum class Covers : std::uint8_t {
    none,         ///< no covers, which take most of the time; they are 0
    off_diagonal, ///< not of blocks (p, p), where they are 0
    all
};

/// The blocks that are not empty, by row part, then by column part. Time: linear in the nonzeros but for the covers,
/// which take up to nonzeros * sqrt(vertices) of their block.
[[nodiscard]] std::vector<BlockTraffic> block_traffic(const Pattern &pattern, const Cuts &row_cuts,
                                                      const Cuts &column_cuts, Covers covers);

/// The rows that are moved in a one-dimensional product, summed over all ranks.
struct RowsMoved {
    std::int64_t broadcast = 0;
    std::int64_t needed = 0;
    std::int64_t cover = 0;
    friend bool operator==(const RowsMoved &, const RowsMoved &) = default;
};

/// Of a square matrix.
[[nodiscard]] RowsMoved rows_moved(const Pattern &pattern, const Cuts &cuts);

/// Two matrices whose sum is the square one, so that A x = fetched x + sent x. Of a block off the diagonal, `fetched`
/// has the nonzeros in the columns of its minimal cover, of which the ranks of the rows fetch the rows of x; `sent` has
/// the others, of which the ranks of the columns send partial rows of y. Of several such covers, it is one with as many
/// columns as possible, because their rows of x need not be added. Blocks (p, p) are in `fetched`. Time: as of
/// block_traffic().
struct Halves {
    Pattern fetched;
    Pattern sent;
};
[[nodiscard]] Halves halves_by_cover(const Pattern &pattern, const Cuts &cuts);

} // namespace planrt
