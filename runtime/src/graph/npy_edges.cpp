// Edges in NumPy's .npy: an array (2, edges) of sources and targets, or one array for each of them.
#include "data/formats/npy_header.h"
#include "graph/readers.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <cmath>

namespace planrt {

namespace {

RecordHeader whole_number_header(CompressedFile &file) {
    RecordHeader header = read_npy_header(file);
    if (header.number == Number::f32 || header.number == Number::f64)
        throw Failure(file.path() + ": expected whole numbers, got floating point");
    return header;
}

/// Appends `edges` vertices to `to`.
void read_vertices(CompressedFile &file, const RecordHeader &header, std::int64_t edges, const char *what,
                   std::int64_t extent, std::vector<std::int32_t> &to) {
    constexpr std::int64_t at_once = 1 << 14; // the file may be shorter than its header says
    const std::size_t number_bytes = bytes_of(header.number);
    std::vector<unsigned char> bytes(at_once * number_bytes);
    for (std::int64_t edge = 0; edge < edges; ++edge) {
        const std::int64_t at = edge % at_once;
        if (at == 0) {
            const std::size_t wanted = static_cast<std::size_t>(std::min(at_once, edges - edge)) * number_bytes;
            const std::size_t got = file.read(bytes.data(), wanted);
            if (got < wanted)
                throw Failure(text("%s: ends in the %s of edge %lld; its header says that there are %lld",
                                   file.path().c_str(), what,
                                   static_cast<long long>(edge + static_cast<std::int64_t>(got / number_bytes)),
                                   static_cast<long long>(edges)));
        }
        const double number = decode(bytes.data() + at * number_bytes, header.number, header.big_endian);
        if (!(number >= 0 && number < static_cast<double>(extent)))
            throw Failure(text("%s: edge %lld: %s %.0f is outside: there are %lld, counted from 0", file.path().c_str(),
                               static_cast<long long>(edge), what, number, static_cast<long long>(extent)));
        to.push_back(static_cast<std::int32_t>(number));
    }
}

void check_end(CompressedFile &file) {
    unsigned char more = 0;
    if (file.read(&more, 1) != 0)
        throw Failure(file.path() + ": continues after the edges of its header");
}

void read_line_of_vertices(const std::string &path, const char *what, std::int64_t extent,
                           std::vector<std::int32_t> &to) {
    CompressedFile file(path);
    const RecordHeader header = whole_number_header(file);
    if (header.extents.size() != 1)
        throw Failure(path + text(": expected an array of one dimension, the %ss of the edges; got %s", what,
                                  describe_extents(header.extents).c_str()));
    read_vertices(file, header, header.extents[0], what, extent, to);
    check_end(file);
}

} // namespace

FileEntries read_npy_edges(const std::string &path, const std::string &targets, const GraphOptions &options) {
    FileEntries entries;
    entries.path = path;
    if (targets.empty()) {
        CompressedFile file(path);
        const RecordHeader header = whole_number_header(file);
        if (header.extents.size() != 2 || header.extents[0] != 2)
            throw Failure(path + ": expected an array of 2 × edges, sources and targets; got " +
                          describe_extents(header.extents));
        read_vertices(file, header, header.extents[1], "source", options.columns, entries.columns);
        read_vertices(file, header, header.extents[1], "target", options.rows, entries.rows);
        check_end(file);
        return entries;
    }
    read_line_of_vertices(path, "source", options.columns, entries.columns);
    read_line_of_vertices(targets, "target", options.rows, entries.rows);
    if (entries.rows.size() != entries.columns.size())
        throw Failure(text("%s: has %zu targets, but %s has %zu sources", targets.c_str(), entries.rows.size(),
                           path.c_str(), entries.columns.size()));
    return entries;
}

} // namespace planrt
