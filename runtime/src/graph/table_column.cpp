// A column of a table as a matrix: each line has the number of something, such as the graph to which a vertex belongs
// or the source of an edge (T10).
#include "graph/readers.h"
#include "graph/words.h"

#include "support/plain_failure.h"

#include <utility>

namespace planrt {

namespace {

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
        const std::string_view cell = cell_of(line);
        const auto number = whole_number(cell);
        if (!number)
            fail(text("column %d: expected a whole number, got %s", file_.column, quoted(cell).c_str()));
        if (*number < 0 || *number >= numbers_)
            fail(text("column %d: %lld is outside: there are %lld, counted from 0", file_.column,
                      static_cast<long long>(*number), static_cast<long long>(numbers_)));
        if (entries_.count() == declared_)
            fail(text("a row too many: declared are %lld", static_cast<long long>(declared_)));
        entries_.lines.add(entries_.count(), lines_.number());
        entries_.rows.push_back(static_cast<std::int32_t>(entries_.count()));
        entries_.columns.push_back(static_cast<std::int32_t>(*number));
    }

    [[nodiscard]] std::string_view cell_of(std::string_view line) const {
        for (int column = 0; column < file_.column; ++column) {
            if (line.find(',') == std::string_view::npos)
                fail(text("expected at least %d columns, got %d", file_.column + 1, column + 1));
            (void)next_cell(line);
        }
        return next_cell(line);
    }

    const GraphFile &file_;
    Lines lines_;
    std::int64_t declared_; ///< lines
    std::int64_t numbers_;  ///< are below
    FileEntries entries_;
};

} // namespace

FileEntries read_table_column(const GraphFile &file, const GraphOptions &options) {
    return ColumnReader(file, options).read();
}

} // namespace planrt
