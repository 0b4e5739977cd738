// Which rows of x the blocks of sparse matrices need, y = A x: part of layouts (planrt::Window::matrix), where matrices
// have numbers. Compiler and emitted program give them the same numbers.
//
// Example: nonzeros in (0, 0), (0, 3) and (1, 2): rows [0, 1) need the columns 0 and 3; rows [0, 2) of the columns
// [2, 4) need 2 and 3. With the number of the transposed matrix, -number, rows and columns change places.
#pragma once

#include <planrt/layout.h>
#include <planrt/pattern.h>

#include <cstdint>
#include <vector>

namespace planrt {

/// The number of a matrix, from 1 on; equal extents and nonzeros have equal numbers.
[[nodiscard]] int number_matrix(const Pattern &pattern);

/// Whether some matrix has this number.
[[nodiscard]] bool has_matrix(int number);

/// Gives the matrix this number, unless it has one. Not beside layouts of it.
void number_matrix(const Pattern &pattern, int number);

/// The nonzeros of the block that has most, if its rows are cut into so many parts, each of these into so many, …, and
/// its columns likewise.
[[nodiscard]] std::int64_t most_nonzeros(int matrix, const std::vector<int> &row_cuts,
                                         const std::vector<int> &column_cuts);

/// The nonzeros of all blocks, row part by row part, of a matrix that is not transposed. Parts lie between cuts, from 0
/// to the extents. Counted once; the reference stays valid.
[[nodiscard]] const std::vector<std::int64_t> &block_nonzeros(int matrix, const std::vector<std::int64_t> &row_cuts,
                                                              const std::vector<std::int64_t> &column_cuts);

} // namespace planrt
