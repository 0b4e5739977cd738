// Comma-separated numbers, one sample a line; gzip too. Each rank parses the file once and keeps its part.
#include "data/formats/lines.h"
#include "data/formats/readers.h"

#include "support/failure.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace planrt {

namespace {

class CsvReader {
  public:
    CsvReader(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column)
        : set_(source.set), path_(source.path(source.set.path)), stores_(stores), split_column_(split_column) {
        for (const FieldStore &store : stores)
            needed_columns_ = std::max(needed_columns_, store.field().last_column);
        if (set_.split == SplitKind::column)
            needed_columns_ = std::max(needed_columns_, set_.split_column + 1);
    }

    void read() {
        Lines lines(path_);
        std::string_view line;
        while (lines.next(line)) {
            line_ = lines.number();
            if (set_.header && line_ == 1) {
                check_is_header(line);
                continue;
            }
            if (line.empty()) // at the end, usually
                continue;
            parse(line);
            keep();
        }
        if (samples_ == 0)
            throw Failure(path_ + ": has no samples");
    }

  private:
    [[noreturn]] void fail(const std::string &reason) const {
        throw Failure(text("%s:%lld: ", path_.c_str(), static_cast<long long>(line_)) + reason);
    }

    /// Rejects a header that consists of numbers: if it were skipped, a sample would be lost, and the rows of
    /// predictions would belong to other samples. The numbers 0,1,2, which spreadsheets and pandas give to columns
    /// without names, count as names.
    void check_is_header(std::string_view line) const {
        bool all_numbers = true;
        bool numbered = true;
        double columns = 0;
        for_each_word(line, [&](std::string_view word) {
            double value = 0;
            const bool number = read_number(word, value);
            all_numbers = all_numbers && number;
            numbered = numbered && number && value == columns;
            ++columns;
        });
        if (all_numbers && !(numbered && columns >= 3))
            fail(text(
                "expected a line of names, for data %s has header = true, but got numbers only; put the names of the "
                "columns above them",
                set_.name));
    }

    template <class Action> static void for_each_word(std::string_view line, const Action &action) {
        while (true) {
            const std::size_t comma = std::min(line.find(','), line.size());
            action(line.substr(0, comma));
            if (comma == line.size())
                return;
            line.remove_prefix(comma + 1);
        }
    }

    void parse(std::string_view line) {
        numbers_.clear();
        for_each_word(line, [this](std::string_view word) { numbers_.push_back(parse_number(word)); });
        const int columns = static_cast<int>(numbers_.size());
        if (samples_ == 0) {
            if (columns < needed_columns_)
                fail(text("expected at least %d columns, got %d", needed_columns_, columns));
            columns_ = columns;
        } else if (columns != columns_) {
            fail(text("expected %d columns as above, got %d", columns_, columns));
        }
    }

    static bool read_number(std::string_view word, double &value) {
        const std::string_view number = trim(word);
        const char *begin = number.data() + (number.starts_with('+') ? 1 : 0);
        const char *end = number.data() + number.size();
        const auto [rest, error] = std::from_chars(begin, end, value);
        return error == std::errc{} && rest == end;
    }

    double parse_number(std::string_view word) const {
        double value = 0;
        if (read_number(word, value))
            return value;
        const std::string_view got = trim(word);
        const bool may_be_header = line_ == 1 && !set_.header && numbers_.empty() && !got.empty();
        fail(text("column %zu: expected a number, got '%.*s'%s", numbers_.size(),
                  static_cast<int>(std::min<std::size_t>(got.size(), 40)), got.data(),
                  may_be_header ? " (header = true passes over a line of names)" : ""));
    }

    static std::string columns_of(const Field &field) {
        if (field.last_column == field.first_column + 1)
            return text("column %d: ", field.first_column);
        return text("columns %d to %d: ", field.first_column, field.last_column - 1);
    }

    void keep() {
        std::string reason;
        for (FieldStore &store : stores_)
            if (!store.append(numbers_.data() + store.field().first_column, reason))
                fail(columns_of(store.field()) + reason);
        if (set_.split == SplitKind::column)
            split_column_.push_back(numbers_[set_.split_column]);
        ++samples_;
    }

    const DataSet &set_;
    std::string path_;
    std::vector<FieldStore> &stores_;
    SplitColumn &split_column_;
    int needed_columns_ = 0;
    int columns_ = 0;
    std::int64_t line_ = 0;
    std::int64_t samples_ = 0;
    std::vector<double> numbers_;
};

} // namespace

void read_csv(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column) {
    CsvReader(source, stores, split_column).read();
}

} // namespace planrt
