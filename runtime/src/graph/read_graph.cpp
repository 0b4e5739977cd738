// The way from a file to a matrix, in order.
#include <planrt/graph_file.h>

#include "graph/readers.h"
#include "support/plain_failure.h"

#include <algorithm>
#include <cmath>

namespace planrt {

std::string place_of(const Lines &lines) {
    return text("%s:%lld: ", lines.path().c_str(), static_cast<long long>(lines.number()));
}

namespace {

void check_options(const GraphFile &file, const GraphOptions &options) {
    if (options.rows < 0 || options.columns < 0 || std::max(options.rows, options.columns) > most_vertices)
        throw Failure(text("%s: %lld × %lld vertices are declared; at most %lld can be", file.path.c_str(),
                           static_cast<long long>(options.rows), static_cast<long long>(options.columns),
                           static_cast<long long>(most_vertices)));
    const char *square = options.undirected                ? "an undirected graph"
                         : options.self_loops              ? "a graph with self loops"
                         : file.format == GraphFormat::ogb ? "a graph of OGB"
                                                           : nullptr;
    if (square != nullptr && options.rows != options.columns)
        throw Failure(text("%s: %s has as many rows as columns; declared are %lld and %lld", file.path.c_str(), square,
                           static_cast<long long>(options.rows), static_cast<long long>(options.columns)));
}

FileEntries read_entries(const GraphFile &file, const GraphOptions &options) {
    switch (file.format) {
    case GraphFormat::matrix_market:
        return read_matrix_market(file.path, options);
    case GraphFormat::edge_list:
        return read_edge_list(file.path, options);
    case GraphFormat::npy:
        return read_npy_edges(file.path, file.targets, options);
    case GraphFormat::ogb:
        return read_ogb_folder(file.path, options);
    }
    throw Failure("internal error: an unknown format of graphs");
}

/// Finite numbers may have a sum that is not.
void check_finite(const Pattern &pattern) {
    if (!std::isfinite(pattern.value) ||
        !std::ranges::all_of(pattern.values, [](double value) { return std::isfinite(value); }))
        throw Failure("the sum of an entry's duplicates is too large");
}

} // namespace

Pattern read_graph(const GraphFile &file, const GraphOptions &options) {
    check_options(file, options);
    FileEntries entries = read_entries(file, options); // as in the file, within the extents
    if (options.duplicates == Duplicates::error)
        check_no_duplicates(entries);
    const Symmetry symmetry = entries.symmetry;
    Pattern pattern = pattern_of(options.rows, options.columns, entries.rows, entries.columns, entries.values);
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
        throw Failure(file.path + ": " + failure.what());
    }
    return pattern;
}

} // namespace planrt
