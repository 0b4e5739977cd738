#include "sema/training/check_data_files.h"

#include "sema/training/data_paths.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace planc::sema {

PLANC_DIAGNOSTIC(missing_data_file, warning, "data '{0}': there is no file '{1}'");                           // T1
PLANC_DIAGNOSTIC(missing_column, warning, "line {0} of '{1}' has {2} columns, field '{3}' takes number {4}"); // T2
PLANC_DIAGNOSTIC(not_a_number, warning, "line {0} of '{1}' has '{2}' in column {3}, which is not a number");  // T2

namespace {

namespace filesystem = std::filesystem;

struct Line {
    std::size_t number = 0; ///< from 1
    std::vector<std::string> cells;
};

std::string trimmed(std::string_view word) {
    const auto blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '"' || letter == '\r'; };
    while (!word.empty() && blank(word.front()))
        word.remove_prefix(1);
    while (!word.empty() && blank(word.back()))
        word.remove_suffix(1);
    return std::string(word);
}

/// The cell in a form that a terminal can show, cut if it is long.
std::string shown(std::string_view cell) {
    constexpr std::size_t longest = 40;
    std::string text(cell.substr(0, longest));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

bool is_number(const std::string &cell) {
    std::string_view word = cell;
    if (word.starts_with('+'))
        word.remove_prefix(1);
    double number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && rest == word.data() + word.size();
}

/// The first samples of a CSV file; none if it is compressed.
std::vector<Line> first_lines(const std::string &path, bool header) {
    constexpr std::size_t most_bytes_read = 1U << 16U;
    constexpr std::size_t most_lines = 20;
    std::string text(most_bytes_read, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const bool whole = text.size() < most_bytes_read;
    std::vector<Line> lines;
    if (text.starts_with("\x1f\x8b"))
        return lines;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size() && lines.size() < most_lines;) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string::npos && !whole)
            break; // cut off
        end = std::min(end, text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        if (++number == 1 && header)
            continue;
        if (trimmed(line).empty())
            continue;
        Line &result = lines.emplace_back();
        result.number = number;
        for (std::size_t at = 0; at <= line.size();) {
            const std::size_t comma = std::min(line.find(',', at), line.size());
            result.cells.push_back(trimmed(line.substr(at, comma - at)));
            at = comma + 1;
        }
    }
    return lines;
}

class FileChecker {
  public:
    FileChecker(const Data &data, const Analysis &analysis)
        : data_(data), trains_(analysis.program.trains), context_(analysis.context) {}

    void check() {
        if (data_.format == "csv" || data_.format == "text" || data_.format == "cifar") {
            if (exists(data_.path, data_.where) && data_.format == "csv")
                check_columns();
        } else if (data_.format == "graph") {
            check_graph();
        } else {
            for (const Field &field : data_.fields)
                if (!field.file.empty())
                    exists(field.file, field.where);
        }
    }

  private:
    /// Tables and dense matrices; sparse ones are read while compiling.
    void check_graph() const {
        if (!data_.path.empty())
            exists(data_.path, data_.where);
        for (const Field &field : data_.fields)
            if (field.matrix && !planrt::is_drawn(field.matrix->file.format) && used_as_tensor(field.name))
                exists(field.matrix->file.path, field.where);
            else if (!field.file.empty())
                exists(field.file, field.where);
    }

    bool used_as_tensor(const std::string &field) const {
        return std::any_of(trains_.begin(), trains_.end(), [&](const Train &train) {
            const std::vector<Argument> &arguments = train.loss.arguments;
            return train.data == data_.name &&
                   std::any_of(arguments.begin(), arguments.end(), [&](const Argument &a) { return a.name == field; });
        });
    }

    std::string path_of(const std::string &file) const { return data_path(data_, file, context_); }

    bool exists(const std::string &file, SourceRange where) const {
        std::error_code error;
        if (filesystem::exists(path_of(file), error))
            return true;
        context_.report(missing_data_file, where, {data_.name, path_of(file)},
                        {hint("the program looks for it there when it starts, or where its option --data says")});
        return false;
    }

    void check_columns() {
        const std::string path = path_of(data_.path);
        std::error_code error;
        if (!filesystem::is_regular_file(path, error))
            return;
        const std::vector<Line> lines = first_lines(path, data_.header);
        for (const Line &line : lines)
            if (!check_numbers(line))
                return;
        for (const Field &field : data_.fields)
            for (const Line &line : lines)
                if (!check_columns_of(field, line))
                    break;
    }

    /// The program reads all columns as numbers, also those that no field takes. False: a warning was reported.
    bool check_numbers(const Line &line) const {
        const auto cell = std::find_if_not(line.cells.begin(), line.cells.end(), is_number);
        if (cell == line.cells.end())
            return true;
        const auto column = cell - line.cells.begin();
        const auto field = std::find_if(data_.fields.begin(), data_.fields.end(), [&](const Field &one) {
            return one.first_column <= column && column < one.last_column;
        });
        const bool may_be_header = line.number == 1 && !data_.header;
        context_.report(
            not_a_number, field == data_.fields.end() ? data_.where : field->where,
            {std::to_string(line.number), data_.path, shown(*cell), std::to_string(column)},
            {hint(may_be_header ? "if that line names the columns, say so: csv(\"" + data_.path + "\", header = true)"
                                : "all data are numbers; write classes as 0, 1, 2, …")});
        return false;
    }

    bool check_columns_of(const Field &field, const Line &line) const {
        const auto cells = static_cast<std::int64_t>(line.cells.size());
        if (field.last_column <= cells)
            return true;
        context_.report(missing_column, field.where,
                        {std::to_string(line.number), data_.path, std::to_string(cells), field.name,
                         std::to_string(field.last_column - 1)},
                        {hint("columns are counted from 0")});
        return false;
    }

    const Data &data_;
    const std::vector<Train> &trains_;
    const Context &context_;
};

} // namespace

void check_data_files(const Analysis &analysis) {
    for (const Data &data : analysis.program.data) {
        const auto trained_on = [&](const Train &train) { return train.data == data.name; };
        if (std::any_of(analysis.program.trains.begin(), analysis.program.trains.end(), trained_on))
            FileChecker(data, analysis).check();
    }
}

} // namespace planc::sema
