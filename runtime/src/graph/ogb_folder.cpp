// The folder of a graph of the Open Graph Benchmark (Hu et al. 2020): edge.csv has the edges, num-node-list.csv and
// num-edge-list.csv have one number for each graph. Only folders with one graph are read.
#include "graph/readers.h"
#include "graph/words.h"

#include "support/file.h"
#include "support/plain_failure.h"

#include <filesystem>

namespace planrt {

namespace {

/// FOLDER/NAME or FOLDER/NAME.gz; the former if neither is there.
std::string file_in(const std::string &folder, const char *name) {
    const std::string plain = folder + "/" + name;
    const std::string packed = plain + ".gz";
    std::error_code ignored;
    return !std::filesystem::exists(plain, ignored) && std::filesystem::exists(packed, ignored) ? packed : plain;
}

/// Throws Failure unless the file says that its one graph has `count` vertices or edges.
void check_count(const std::string &path, std::int64_t count, const char *source, const char *what) {
    Lines lines(path);
    std::string_view line;
    std::int64_t graphs = 0;
    while (lines.next(line)) {
        if (line.empty())
            continue;
        const std::string_view cell = next_cell(line);
        const auto number = whole_number(cell);
        if (!number)
            throw Failure(place_of(lines) + text("expected the number of %s, got ", what) + quoted(cell));
        if (++graphs > 1)
            throw Failure(place_of(lines) + "expected one graph, got several");
        if (*number != count)
            throw Failure(place_of(lines) + text("%lld %s, but %lld %s", static_cast<long long>(*number), what,
                                                 static_cast<long long>(count), source));
    }
    if (graphs == 0)
        throw Failure(path + text(": has no number of %s", what));
}

} // namespace

FileEntries read_ogb_folder(const std::string &path, const GraphOptions &options) {
    check_count(file_in(path, "num-node-list.csv"), options.rows, "are declared", "vertices");
    FileEntries entries = read_edge_list({GraphFormat::edge_list, file_in(path, "edge.csv")}, options);
    const std::string counts = file_in(path, "num-edge-list.csv");
    if (std::error_code ignored; std::filesystem::exists(counts, ignored))
        check_count(counts, entries.count(), "are in edge.csv", "edges");
    return entries;
}

} // namespace planrt
