#include <planrt/needed_rows.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace planrt {

namespace {

/// The nonzeros of a matrix, and the needed rows that somebody asked for.
class Numbered {
  public:
    explicit Numbered(const Pattern &pattern) : row_begin_(pattern.row_begin), column_(pattern.column) {}

    [[nodiscard]] bool equals(const Pattern &pattern) const {
        return row_begin_ == pattern.row_begin && column_ == pattern.column;
    }

    /// Lists live as long as the process, as ranges point to them.
    const std::vector<std::int32_t> &list(bool transposed, Range rows, Range columns) {
        std::vector<std::int32_t> &list =
            (transposed ? of_transposed_ : lists_)[{rows.begin, rows.end, columns.begin, columns.end}];
        if (list.empty())
            list = transposed ? rows_of(columns, rows) : columns_of(rows, columns);
        return list;
    }

  private:
    [[nodiscard]] std::vector<std::int32_t> columns_of(Range rows, Range columns) const {
        std::vector<bool> needed(static_cast<std::size_t>(columns.size()), false);
        for (std::int64_t i = row_begin_[rows.begin]; i < row_begin_[rows.end]; ++i)
            if (column_[i] >= columns.begin && column_[i] < columns.end)
                needed[column_[i] - columns.begin] = true;
        std::vector<std::int32_t> result;
        for (std::size_t i = 0; i < needed.size(); ++i)
            if (needed[i])
                result.push_back(static_cast<std::int32_t>(columns.begin + static_cast<std::int64_t>(i)));
        return result;
    }

    [[nodiscard]] std::vector<std::int32_t> rows_of(Range rows, Range columns) const {
        std::vector<std::int32_t> result;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const auto end = column_.begin() + row_begin_[row + 1];
            const auto first = std::lower_bound(column_.begin() + row_begin_[row], end, columns.begin);
            if (first != end && *first < columns.end)
                result.push_back(static_cast<std::int32_t>(row));
        }
        return result;
    }

    using Lists = std::map<std::array<std::int64_t, 4>, std::vector<std::int32_t>>;
    std::vector<std::int64_t> row_begin_;
    std::vector<std::int32_t> column_;
    Lists lists_;
    Lists of_transposed_;
};

/// Planners ask from several threads.
struct Registry {
    std::mutex mutex;
    std::map<int, std::unique_ptr<Numbered>> matrices;
};

Registry &registry() {
    static Registry all;
    return all;
}

} // namespace

int number_matrix(const Pattern &pattern) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    int next = 1;
    for (const auto &[number, matrix] : all.matrices) {
        if (matrix->equals(pattern))
            return number;
        next = number + 1;
    }
    all.matrices.emplace(next, std::make_unique<Numbered>(pattern));
    return next;
}

void number_matrix(const Pattern &pattern, int number) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    if (!all.matrices.contains(number))
        all.matrices.emplace(number, std::make_unique<Numbered>(pattern));
}

Range needed_rows(int matrix, Range rows, Range columns) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.matrices.find(std::abs(matrix));
    if (found == all.matrices.end())
        throw std::logic_error("matrix " + std::to_string(matrix) + " of a layout is not known");
    if (rows.size() == 0 || columns.size() == 0)
        return {columns.begin, columns.begin};
    return {columns.begin, columns.end, &found->second->list(matrix < 0, rows, columns)};
}

} // namespace planrt
