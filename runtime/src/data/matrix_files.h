// Matrices in files, as a program describes them: read with --data, and compared with what the compiler saw.
#pragma once

#include "data/data_source.h"

#include <planrt/pattern.h>
#include <planrt/planrt.h>
#include <planrt/sparse_traffic.h>

#include <string>

namespace planrt {

/// The paths of the file, absolute or below the directory of the data.
[[nodiscard]] GraphFile located(const DataSource &source, const MatrixFile &file);

/// In the order of the file. Errors: Failure with the file and its line; also if its nonzeros are not those for which
/// the program was compiled.
[[nodiscard]] Pattern read_matrix(const DataSource &source, const MatrixFile &file);

/// The same with its vertices in the order of the program.
[[nodiscard]] Pattern in_order(Pattern matrix, const MatrixFile &file, const Order &order);

/// The halves of a matrix that is in the order of the program.
[[nodiscard]] Halves halves_of(const Pattern &matrix, const MatrixFile &file);

/// Gives matrices the numbers that they have in placements, unless they have them: before any layout. Errors: as of
/// read_matrix().
void number_matrices(const Program &program, const DataSource &source);

/// Divides each value by the number of nonzeros in its row.
void divide_by_degrees(Pattern &matrix);

} // namespace planrt
