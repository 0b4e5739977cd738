// One reader for each format: the entries of a file, in its order (or drawn), all within the declared extents. Errors:
// Failure with the file, the place and what was expected.
#pragma once

#include "data/formats/lines.h"
#include "graph/entries.h"

#include <planrt/graph_file.h>

#include <string>

namespace planrt {

[[nodiscard]] FileEntries read_matrix_market(const std::string &path, const GraphOptions &options);
[[nodiscard]] FileEntries read_edge_list(const GraphFile &file, const GraphOptions &options);
/// `targets`: its path, or empty if `path` has both.
[[nodiscard]] FileEntries read_npy_edges(const std::string &path, const std::string &targets,
                                         const GraphOptions &options);
[[nodiscard]] FileEntries read_ogb_folder(const std::string &path, const GraphOptions &options);
/// `lookup` and `groups`. Each line has an entry: a table has as many as there are rows, or columns of `groups`.
[[nodiscard]] FileEntries read_table_column(const GraphFile &file, const GraphOptions &options);

/// `uniform`, `rmat`, `lattice`: entries that are drawn, none twice.
[[nodiscard]] FileEntries draw_graph(const GraphFile &graph, const GraphOptions &options);

/// "FILE:LINE: " of the line that was read last.
[[nodiscard]] std::string place_of(const Lines &lines);

} // namespace planrt
