// Fields of `graph` data that are matrices, in files (T8, T10) or drawn (T12):
//
//   a = matrix_market("adjacency.mtx", self_loops = true, normalize = symmetric)
#pragma once

#include "sema/networks/elaborate.h"

#include <string>

namespace planc::sema {

/// matrix_market, edges, npy_edges, ogb, lookup, groups, synthetic_graph.
[[nodiscard]] bool is_matrix_source(const std::string &name);

/// The file and the options of a call of one of these. `constants`: of the file that declares the data.
[[nodiscard]] MatrixFile read_matrix_source(const syntax::Call &call, Elaborator &constants, const Context &context);

} // namespace planc::sema
