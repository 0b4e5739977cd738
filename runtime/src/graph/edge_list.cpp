// Edges as comma-separated values: source, target, and a weight if there is a third column, or in the column that is
// asked for; then there may be more. A first line of several words and no number names the columns.
#include "graph/readers.h"
#include "graph/words.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <array>

namespace planrt {

namespace {

class EdgeListReader {
  public:
    EdgeListReader(const GraphFile &file, const GraphOptions &options)
        : lines_(file.path), weight_(file.column), options_(options) {
        entries_.path = file.path;
    }

    FileEntries read() && {
        std::string_view line;
        while (lines_.next(line))
            if (!line.empty() && !(lines_.number() == 1 && is_header(line))) // empty: at the end, usually
                read_edge(line);
        return std::move(entries_);
    }

  private:
    [[noreturn]] void fail(const std::string &reason) const { throw Failure(place_of(lines_) + reason); }

    [[noreturn]] void fail_count(int count) const {
        fail(text("expected %s, got %s",
                  columns_ == 0 ? "source, target and perhaps a weight" : text("%d columns as above", columns_).c_str(),
                  count == 1 ? "one column" : text("%d columns", count).c_str()));
    }

    static bool is_header(std::string_view line) {
        if (line.find(',') == std::string_view::npos)
            return false;
        while (!line.empty())
            if (real_number(next_cell(line)))
                return false;
        return true;
    }

    std::int32_t read_vertex(std::string_view cell, const char *what, std::int64_t extent) const {
        const auto number = whole_number(cell);
        if (!number)
            fail(text("expected the number of a %s, got %s", what, quoted(cell).c_str()));
        if (*number < 0 || *number >= extent)
            fail(text("%s %lld is outside: there are %lld, counted from 0", what, static_cast<long long>(*number),
                      static_cast<long long>(extent)));
        return static_cast<std::int32_t>(*number);
    }

    void read_edge(std::string_view line) {
        std::array<std::string_view, 3> cells;
        int count = 0;
        for (bool more = true; more; ++count) {
            more = line.find(',') != std::string_view::npos;
            const std::string_view cell = next_cell(line);
            if (count < 2 || count == (weight_ > 0 ? weight_ : 2))
                cells[std::min(count, 2)] = cell;
        }
        if (weight_ > 0 && count <= weight_)
            fail(text("expected at least %d columns, got %d", weight_ + 1, count));
        if (columns_ == 0 && (count == 2 || count == 3 || weight_ > 0))
            columns_ = count;
        if (count != columns_)
            fail_count(count);
        const std::int32_t source = read_vertex(cells[0], "source", options_.columns);
        const std::int32_t target = read_vertex(cells[1], "target", options_.rows);
        if (columns_ > 2) {
            const auto weight = real_number(cells[2]);
            if (!weight)
                fail("expected a weight, got " + quoted(cells[2]));
            entries_.values.push_back(*weight);
        }
        entries_.lines.add(entries_.count(), lines_.number());
        entries_.rows.push_back(target);
        entries_.columns.push_back(source);
    }

    Lines lines_;
    int weight_; ///< its column; 0: the third, if there are three
    const GraphOptions &options_;
    FileEntries entries_;
    int columns_ = 0; ///< 0: no edge yet
};

} // namespace

FileEntries read_edge_list(const GraphFile &file, const GraphOptions &options) {
    return EdgeListReader(file, options).read();
}

} // namespace planrt
