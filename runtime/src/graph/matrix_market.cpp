// Matrix Market's coordinate format: Boisvert, Pozo, Remington 1996, "The Matrix Market exchange formats", NISTIR 5935.
// A header, comments that begin with %, a line "rows columns nonzeros", then a line "row column [value]" for each
// nonzero, counted from 1. Of a symmetric matrix only the lower half is there.
#include "graph/readers.h"
#include "graph/words.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace planrt {

namespace {

std::string lower(std::string_view word) {
    std::string result(word);
    std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return result;
}

class MatrixMarketReader {
  public:
    MatrixMarketReader(const std::string &path, const GraphOptions &options) : lines_(path), options_(options) {
        entries_.path = path;
        entries_.counted_from = 1;
    }

    FileEntries read() && {
        read_header();
        read_size();
        std::string_view line;
        while (next_line(line))
            read_entry(line);
        if (entries_.count() != declared_)
            throw Failure(text("%s: ends after %lld nonzeros; its size line says that there are %lld",
                               lines_.path().c_str(), static_cast<long long>(entries_.count()),
                               static_cast<long long>(declared_)));
        return std::move(entries_);
    }

  private:
    enum class Field : std::uint8_t { pattern, integer, real };

    [[noreturn]] void fail(const std::string &reason) const { throw Failure(place_of(lines_) + reason); }

    /// The next line that is neither empty nor a comment.
    bool next_line(std::string_view &line) {
        while (lines_.next(line)) {
            std::string_view rest = line;
            const std::string_view word = next_word(rest);
            if (!word.empty() && word[0] != '%')
                return true;
        }
        return false;
    }

    void read_header() {
        std::string_view line;
        if (!lines_.next(line) || lower(next_word(line)) != "%%matrixmarket")
            throw Failure(lines_.path() + ": is not a Matrix Market file: it does not begin with %%MatrixMarket");
        if (const std::string_view object = next_word(line); lower(object) != "matrix")
            fail("expected a matrix, got " + quoted(object));
        if (const std::string_view format = next_word(line); lower(format) != "coordinate")
            fail("expected the format coordinate, got " + quoted(format));
        read_field(next_word(line));
        read_symmetry(next_word(line));
    }

    void read_field(std::string_view word) {
        const std::string field = lower(word);
        if (field == "pattern")
            field_ = Field::pattern;
        else if (field == "integer")
            field_ = Field::integer;
        else if (field == "real" || field == "double") // in older files
            field_ = Field::real;
        else
            fail("expected pattern, integer or real, got " + quoted(word));
    }

    void read_symmetry(std::string_view word) {
        const std::string symmetry = lower(word);
        if (symmetry == "symmetric")
            entries_.symmetry = Symmetry::symmetric;
        else if (symmetry == "skew-symmetric")
            entries_.symmetry = Symmetry::skew;
        else if (symmetry != "general")
            fail("expected general, symmetric or skew-symmetric, got " + quoted(word));
        if (entries_.symmetry == Symmetry::skew && field_ == Field::pattern)
            fail("a skew-symmetric matrix has signs, which a pattern has not");
    }

    void read_size() {
        std::string_view line;
        if (!next_line(line))
            throw Failure(lines_.path() + ": ends before its size line, 'rows columns nonzeros'");
        std::array<std::int64_t, 3> size{};
        for (std::int64_t &number : size) {
            const std::string_view word = next_word(line);
            const auto value = whole_number(word);
            if (!value || *value < 0)
                fail("expected three numbers, rows, columns and nonzeros, got " +
                     (word.empty() ? "fewer" : quoted(word)));
            number = *value;
        }
        if (const std::string_view word = next_word(line); !word.empty())
            fail("expected three numbers, rows, columns and nonzeros, got more: " + quoted(word));
        if (size[0] != options_.rows || size[1] != options_.columns)
            fail(text("expected %lld rows and %lld columns, as declared, got %lld and %lld",
                      static_cast<long long>(options_.rows), static_cast<long long>(options_.columns),
                      static_cast<long long>(size[0]), static_cast<long long>(size[1])));
        if (entries_.symmetry != Symmetry::general && size[0] != size[1])
            fail("a symmetric matrix has as many rows as columns");
        declared_ = size[2];
    }

    std::int32_t read_index(std::string_view word, const char *what, std::int64_t extent) const {
        const auto number = whole_number(word);
        if (!number && word.empty())
            fail(
                text("expected a row and a column%s, got fewer words", field_ == Field::pattern ? "" : " and a value"));
        if (!number)
            fail(text("expected the number of a %s, got %s", what, quoted(word).c_str()));
        if (*number < 1 || *number > extent)
            fail(text("%s %lld is outside: %ss are 1 to %lld", what, static_cast<long long>(*number), what,
                      static_cast<long long>(extent)));
        return static_cast<std::int32_t>(*number - 1);
    }

    double read_value(std::string_view word) const {
        const auto value = real_number(word);
        if (!value && word.empty())
            fail("expected a row and a column and a value, got fewer words");
        if (!value || (field_ == Field::integer && !whole_number(word)))
            fail(text("expected %s, got %s", field_ == Field::integer ? "a whole number" : "a number",
                      quoted(word).c_str()));
        return *value;
    }

    void read_entry(std::string_view line) {
        if (entries_.count() == declared_)
            fail(text("continues after the %lld nonzeros of its size line", static_cast<long long>(declared_)));
        const std::int32_t row = read_index(next_word(line), "row", options_.rows);
        const std::int32_t column = read_index(next_word(line), "column", options_.columns);
        if (field_ != Field::pattern)
            entries_.values.push_back(read_value(next_word(line)));
        if (const std::string_view word = next_word(line); !word.empty())
            fail("expected the end of the line, got " + quoted(word));
        if (entries_.symmetry != Symmetry::general && row < column)
            fail(text("row %d, column %d is above the diagonal; a symmetric file has only the lower half", row + 1,
                      column + 1));
        if (entries_.symmetry == Symmetry::skew && row == column)
            fail("a skew-symmetric matrix has nothing on its diagonal");
        entries_.lines.add(entries_.count(), lines_.number());
        entries_.rows.push_back(row);
        entries_.columns.push_back(column);
    }

    Lines lines_;
    const GraphOptions &options_;
    FileEntries entries_;
    Field field_ = Field::real;
    std::int64_t declared_ = 0; ///< nonzeros in the file
};

} // namespace

FileEntries read_matrix_market(const std::string &path, const GraphOptions &options) {
    return MatrixMarketReader(path, options).read();
}

} // namespace planrt
