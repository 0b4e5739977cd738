// Reads a sparse matrix or a graph from a file, or draws one. Plain C++, no MPI; compiler and runtime read the same.
//
// Of an edge, the source is the column and the target is the row (pattern.h). In a Matrix Market file, "i j" is row i,
// column j: vertex i receives from vertex j.
//
//   GraphOptions options{2708, 2708};
//   options.self_loops = true;
//   options.normalization = Normalization::symmetric;
//   const Pattern a = read_graph({GraphFormat::matrix_market, "cora.mtx"}, options);
#pragma once

#include <planrt/pattern.h>

#include <cstdint>
#include <string>

namespace planrt {

enum class GraphFormat : std::uint8_t {
    matrix_market, ///< coordinate; pattern, integer or real; general, symmetric or skew-symmetric
    edge_list,     ///< CSV: source, target, weight if there is one; vertices are counted from 0; names above or not
    npy,           ///< one array (2, edges): sources, targets; or one file for each of them
    ogb,    ///< a folder with edge.csv, num-node-list.csv, perhaps num-edge-list.csv: the graph of OGB's data sets
    lookup, ///< a column of a table (CSV) with the number of something in each line: an entry (line, number) of 1
    groups, ///< the same transposed: entries (number, line)
    // Drawn by the seed, without a file; all values are 1, and a square matrix has nothing on its diagonal.
    uniform, ///< every set of so many entries is as likely as any other
    rmat,    ///< hubs and communities (Chakrabarti et al. 2004), with the figures of Graph500; hubs have low numbers
    lattice  ///< a ring, each vertex joined to the nearest ones on both sides (Watts and Strogatz 1998); nothing is
             ///< drawn
};

/// Whether a matrix of this format is drawn and has no file.
[[nodiscard]] constexpr bool is_drawn(GraphFormat format) {
    return format == GraphFormat::uniform || format == GraphFormat::rmat || format == GraphFormat::lattice;
}

/// Each file may be compressed with gzip. Of `ogb`, its files may end in ".gz".
struct GraphFile {
    GraphFormat format;
    std::string path;
    std::string targets = {}; ///< npy: the file of the targets, if `path` has only the sources
    int column = 0;           ///< lookup, groups; edge_list: of the weights, or 0: the third, if there are three
    bool header = false;      ///< lookup, groups: the first line names the columns
    /// lookup, groups: in place of an empty cell a number is drawn, uniformly by the seed, from those that are not
    /// joined to the number in this other column: no line has both, in either order, nor is it the same. -1: none is
    /// empty.
    int negatives_of = -1;
    std::uint64_t seed = 0;
    std::int64_t edges = 0; ///< uniform, rmat: the number of entries; lattice: of each row, even
};

/// What happens to an entry that the file has twice.
enum class Duplicates : std::uint8_t { sum, error };

/// none: the values of the file. row: each value is divided by the sum of its row. symmetric: by the square roots of
/// the sums of its row and of its column; of a symmetric matrix that is D^-1/2 A D^-1/2 (Kipf and Welling 2017, eq. 2).
/// Where a sum is 0, all of its values must be 0, and remain so. Negative sums are errors.
enum class Normalization : std::uint8_t { none, row, symmetric };

struct GraphOptions {
    std::int64_t rows;    ///< as declared: vertices that are targets
    std::int64_t columns; ///< as declared: vertices that are sources
    /// An edge leads in both directions. Where the file has both, they are one edge and must have the same value.
    bool undirected = false;
    bool self_loops = false; ///< an edge of value 1 from each vertex to itself, unless it has one
    Duplicates duplicates = Duplicates::sum;
    Normalization normalization = Normalization::none; ///< the last step, after self loops are added
};

/// Errors: std::runtime_error with one line, "FILE:LINE: reason", about the first fault of the file; also if the file
/// cannot be read, if its extents are not those declared, or if the options contradict each other.
[[nodiscard]] Pattern read_graph(const GraphFile &file, const GraphOptions &options);

/// The steps after reading, for matrices from elsewhere.
/// A + A^T, or A - A^T if `sign` is -1, of a square matrix; where both have a nonzero, it stays as it is.
/// Errors: std::runtime_error if the two are not the same (with this sign).
[[nodiscard]] Pattern with_reversed_edges(const Pattern &pattern, int sign = 1);
/// An entry of 1 on the diagonal of a square matrix where there is none.
[[nodiscard]] Pattern with_self_loops(const Pattern &pattern);
/// Errors: std::runtime_error that names the row or column, if a sum is negative or is 0 by cancellation.
void normalize(Pattern &pattern, Normalization normalization);

} // namespace planrt
