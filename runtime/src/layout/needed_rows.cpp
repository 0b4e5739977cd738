#include <planrt/needed_rows.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace planrt {

namespace {

/// The nonzeros of a matrix, and the needed rows that somebody asked for.
class Numbered {
  public:
    explicit Numbered(const Pattern &pattern)
        : row_begin_(pattern.row_begin), column_(pattern.column), columns_(pattern.columns) {}

    [[nodiscard]] bool equals(const Pattern &pattern) const {
        return row_begin_ == pattern.row_begin && column_ == pattern.column;
    }

    /// Lists live as long as the process, as ranges point to them.
    const std::vector<std::int32_t> &list(bool transposed, Range rows, Range columns) {
        Lists &lists = transposed ? of_transposed_ : lists_;
        // A block without nonzeros has an empty list.
        const auto [known, is_new] = lists.try_emplace({rows.begin, rows.end, columns.begin, columns.end});
        if (is_new)
            known->second = transposed ? rows_of(columns, rows) : columns_of(rows, columns);
        return known->second;
    }

    std::int64_t most_nonzeros(const std::vector<int> &row_cuts, const std::vector<int> &column_cuts) {
        std::int64_t &most = most_[{row_cuts, column_cuts}];
        if (most > 0)
            return most;
        const std::vector<std::size_t> row_part = parts(static_cast<std::int64_t>(row_begin_.size()) - 1, row_cuts);
        const std::vector<std::size_t> column_part = parts(columns_, column_cuts);
        std::vector<std::int64_t> of_block; // of one part of the rows after another
        for (std::size_t row = 0; row < row_part.size(); ++row) {
            if (row == 0 || row_part[row] != row_part[row - 1])
                of_block.assign(column_part.empty() ? 0 : column_part.back() + 1, 0);
            for (std::int64_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i)
                most = std::max(most, ++of_block[column_part[column_[i]]]);
        }
        return most;
    }

  private:
    /// The number of each index's part; parts without an index have none.
    static std::vector<std::size_t> parts(std::int64_t extent, const std::vector<int> &cuts) {
        std::vector<Range> ranges = {{0, extent}};
        for (const int cut : cuts) {
            std::vector<Range> finer;
            for (const Range &range : ranges)
                for (int index = 0; index < cut; ++index)
                    finer.push_back(block(range, cut, index));
            ranges = std::move(finer);
        }
        std::vector<std::size_t> part;
        std::size_t number = 0;
        for (const Range &range : ranges)
            if (range.size() > 0)
                part.insert(part.end(), static_cast<std::size_t>(range.size()), number++);
        return part;
    }

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
    std::int64_t columns_;
    std::map<std::pair<std::vector<int>, std::vector<int>>, std::int64_t> most_;
    Lists lists_;
    Lists of_transposed_;
};

/// Planners ask from several threads.
struct Registry {
    std::mutex mutex;
    std::map<int, std::unique_ptr<Numbered>> matrices;

    /// With its number or, transposed, -number.
    [[nodiscard]] Numbered &at(int number) const {
        const auto found = matrices.find(std::abs(number));
        if (found == matrices.end())
            throw std::logic_error("matrix " + std::to_string(number) + " of a layout is not known");
        return *found->second;
    }
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

bool has_matrix(int number) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    return all.matrices.contains(number);
}

void number_matrix(const Pattern &pattern, int number) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    if (!all.matrices.contains(number))
        all.matrices.emplace(number, std::make_unique<Numbered>(pattern));
}

std::int64_t most_nonzeros(int matrix, const std::vector<int> &row_cuts, const std::vector<int> &column_cuts) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    Numbered &numbered = all.at(matrix);
    return matrix < 0 ? numbered.most_nonzeros(column_cuts, row_cuts) : numbered.most_nonzeros(row_cuts, column_cuts);
}

Range needed_rows(int matrix, Range rows, Range columns) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    Numbered &numbered = all.at(matrix);
    if (rows.size() == 0 || columns.size() == 0)
        return {columns.begin, columns.begin};
    return {columns.begin, columns.end, &numbered.list(matrix < 0, rows, columns)};
}

} // namespace planrt
