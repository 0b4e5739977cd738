// A column of a table as a matrix: each line has the number of something, such as the graph to which a vertex belongs
// or the source of an edge (T10).
#include "graph/readers.h"
#include "graph/words.h"

#include "random/philox.h"
#include "support/plain_failure.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace planrt {

namespace {

constexpr std::int32_t to_draw = -1; ///< the number of an empty cell

class ColumnReader {
  public:
    ColumnReader(const GraphFile &file, const GraphOptions &options)
        : file_(file), lines_(file.path), declared_(options.rows), numbers_(options.columns) {
        entries_.path = file.path;
        if (file.format == GraphFormat::groups)
            std::swap(declared_, numbers_);
    }

    FileEntries read() && {
        std::string_view line;
        while (lines_.next(line))
            if (!line.empty() && !(file_.header && lines_.number() == 1))
                add(line);
        draw();
        if (entries_.count() != declared_)
            throw Failure(text("%s: has %lld rows; declared are %lld", file_.path.c_str(),
                               static_cast<long long>(entries_.count()), static_cast<long long>(declared_)));
        if (file_.format == GraphFormat::groups)
            std::swap(entries_.rows, entries_.columns);
        return std::move(entries_);
    }

  private:
    [[noreturn]] void fail(const std::string &reason) const { throw Failure(place_of(lines_) + reason); }

    void add(std::string_view line) {
        const bool draws = file_.negatives_of >= 0;
        const std::int32_t number =
            draws && cell_of(line, file_.column).empty() ? to_draw : number_in(line, file_.column);
        if (draws)
            beside_.push_back(number_in(line, file_.negatives_of));
        if (entries_.count() == declared_)
            fail(text("a row too many: declared are %lld", static_cast<long long>(declared_)));
        entries_.lines.add(entries_.count(), lines_.number());
        entries_.rows.push_back(static_cast<std::int32_t>(entries_.count()));
        entries_.columns.push_back(number);
    }

    [[nodiscard]] std::int32_t number_in(std::string_view line, int column) const {
        const std::string_view cell = cell_of(line, column);
        const auto number = whole_number(cell);
        if (!number)
            fail(text("column %d: expected a whole number, got %s", column, quoted(cell).c_str()));
        if (*number < 0 || *number >= numbers_)
            fail(text("column %d: %lld is outside: there are %lld, counted from 0", column,
                      static_cast<long long>(*number), static_cast<long long>(numbers_)));
        return static_cast<std::int32_t>(*number);
    }

    [[nodiscard]] std::string_view cell_of(std::string_view line, int wanted) const {
        for (int column = 0; column < wanted; ++column) {
            if (line.find(',') == std::string_view::npos)
                fail(text("expected at least %d columns, got %d", wanted + 1, column + 1));
            (void)next_cell(line);
        }
        return next_cell(line);
    }

    /// Which numbers are joined, each also to itself.
    [[nodiscard]] Pattern joined() const {
        std::vector<std::int32_t> rows(static_cast<std::size_t>(numbers_));
        std::iota(rows.begin(), rows.end(), 0);
        std::vector<std::int32_t> columns = rows;
        for (std::size_t line = 0; line < beside_.size(); ++line)
            if (entries_.columns[line] != to_draw) {
                rows.insert(rows.end(), {beside_[line], entries_.columns[line]});
                columns.insert(columns.end(), {entries_.columns[line], beside_[line]});
            }
        return pattern_of(numbers_, numbers_, rows, columns, {});
    }

    void draw() {
        if (std::ranges::find(entries_.columns, to_draw) == entries_.columns.end())
            return;
        const Pattern known = joined();
        const RandomStream stream = random_stream(file_.seed, "negatives");
        for (std::size_t line = 0; line < beside_.size(); ++line) {
            if (entries_.columns[line] != to_draw)
                continue;
            const auto taken = known.columns_of(beside_[line]); // ascending
            const auto left = static_cast<std::uint64_t>(numbers_) - taken.size();
            if (left == 0)
                throw Failure(entries_.place(static_cast<std::int64_t>(line)) +
                              text("no number is left to draw: all are joined to %d", beside_[line]));
            auto number = static_cast<std::int32_t>(random_below(stream, line, left));
            for (const std::int32_t each : taken) // the number-th of those that are not taken
                number += each <= number ? 1 : 0;
            entries_.columns[line] = number;
        }
    }

    const GraphFile &file_;
    Lines lines_;
    std::int64_t declared_; ///< lines
    std::int64_t numbers_;  ///< are below
    FileEntries entries_;
    std::vector<std::int32_t> beside_; ///< by line: the number in the column `negatives_of`
};

} // namespace

FileEntries read_table_column(const GraphFile &file, const GraphOptions &options) {
    return ColumnReader(file, options).read();
}

} // namespace planrt
