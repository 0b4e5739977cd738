// The way from a file to a matrix, in order.
#include <planrt/graph_file.h>

#include "graph/readers.h"
#include "support/file.h"
#include "support/plain_failure.h"
#include "support/printable.h"

#include <algorithm>
#include <cmath>

namespace planrt {

std::string place_of(const Lines &lines) {
    return text("%s:%lld: ", lines.path().c_str(), static_cast<long long>(lines.number()));
}

namespace {

void check_options(const GraphFile &file, const GraphOptions &options) {
    const std::string path = is_drawn(file.format) ? "synthetic_graph" : file.path;
    if (options.rows < 0 || options.columns < 0 || std::max(options.rows, options.columns) > most_vertices)
        throw Failure(text("%s: %lld × %lld vertices are declared; at most %lld can be", path.c_str(),
                           static_cast<long long>(options.rows), static_cast<long long>(options.columns),
                           static_cast<long long>(most_vertices)));
    const char *square = options.undirected                    ? "an undirected graph"
                         : options.self_loops                  ? "a graph with self loops"
                         : file.format == GraphFormat::ogb     ? "a graph of OGB"
                         : file.format == GraphFormat::lattice ? "a lattice"
                                                               : nullptr;
    if (square != nullptr && options.rows != options.columns)
        throw Failure(text("%s: %s has as many rows as columns; declared are %lld and %lld", path.c_str(), square,
                           static_cast<long long>(options.rows), static_cast<long long>(options.columns)));
}

FileEntries read_entries(const GraphFile &file, const GraphOptions &options) {
    switch (file.format) {
    case GraphFormat::matrix_market:
        return read_matrix_market(file.path, options);
    case GraphFormat::edge_list:
        return read_edge_list(file, options);
    case GraphFormat::npy:
        return read_npy_edges(file.path, file.targets, options);
    case GraphFormat::ogb:
        return read_ogb_folder(file.path, options);
    case GraphFormat::lookup:
    case GraphFormat::groups:
        return read_table_column(file, options);
    case GraphFormat::uniform:
    case GraphFormat::rmat:
    case GraphFormat::lattice:
        return draw_graph(file, options);
    }
    throw Failure("internal error: an unknown format of graphs");
}

/// Finite numbers may have a sum that is not.
void check_finite(const Pattern &pattern) {
    if (!std::isfinite(pattern.value) ||
        !std::ranges::all_of(pattern.values, [](double value) { return std::isfinite(value); }))
        throw Failure("the sum of an entry's duplicates is too large");
}

Pattern matrix_of(FileEntries entries, const GraphOptions &options) {
    if (options.duplicates == Duplicates::error)
        check_no_duplicates(entries);
    Pattern pattern = pattern_of(options.rows, options.columns, entries.rows, entries.columns, entries.values);
    const Symmetry symmetry = entries.symmetry;
    const std::string path = entries.path;
    entries = {}; // large; not needed any more
    try {
        check_finite(pattern);
        if (symmetry != Symmetry::general) // the half that the file leaves out
            pattern = with_reversed_edges(pattern, symmetry == Symmetry::skew ? -1 : 1);
        if (options.undirected)
            pattern = with_reversed_edges(pattern);
        if (options.self_loops)
            pattern = with_self_loops(pattern);
        normalize(pattern, options.normalization);
    } catch (const Failure &failure) {
        throw Failure(path + ": " + failure.what());
    }
    return pattern;
}

} // namespace

Pattern read_graph(const GraphFile &file, const GraphOptions &options) {
    try {
        check_options(file, options);
        return matrix_of(read_entries(file, options), options);
    } catch (const MissingFile &failure) { // which the runtime treats in another way
        throw MissingFile(printable(failure.what()));
    } catch (const Failure &failure) { // messages quote the file
        throw Failure(printable(failure.what()));
    }
}

} // namespace planrt
