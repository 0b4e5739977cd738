#include <planrt/needed_rows.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace planrt {

namespace {

/// The nonzeros of a matrix by rows, and the columns of those rows that somebody asked for.
class ByRows {
  public:
    explicit ByRows(const Pattern &pattern)
        : row_begin_(pattern.row_begin), column_(pattern.column), columns_(pattern.columns) {}

    [[nodiscard]] bool equals(const Pattern &pattern) const {
        return columns_ == pattern.columns && row_begin_ == pattern.row_begin && column_ == pattern.column;
    }

    [[nodiscard]] Pattern transposed() const { return planrt::transposed({rows(), columns_, row_begin_, column_, {}}); }

    [[nodiscard]] const std::vector<std::int32_t> *known(Range rows) const {
        const auto found = lists_.find({rows.begin, rows.end});
        return found == lists_.end() ? nullptr : &found->second;
    }

    /// All columns with a nonzero in these rows. The list lives as long as the process: ranges point to it.
    const std::vector<std::int32_t> &list(Range rows) {
        const auto [known, is_new] = lists_.try_emplace({rows.begin, rows.end});
        std::vector<std::int32_t> &list = known->second;
        if (!is_new) // without nonzeros it is empty
            return list;
        std::vector<std::uint64_t> needed(static_cast<std::size_t>(columns_ + 63) / 64, 0);
        for (std::int64_t i = row_begin_[rows.begin]; i < row_begin_[rows.end]; ++i)
            needed[column_[i] / 64] |= std::uint64_t{1} << (column_[i] % 64);
        for (std::size_t word = 0; word < needed.size(); ++word)
            for (std::uint64_t rest = needed[word]; rest != 0; rest &= rest - 1)
                list.push_back(static_cast<std::int32_t>(64 * word) + std::countr_zero(rest));
        return list;
    }

    using Boundaries = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;

    const std::vector<std::int64_t> &block_nonzeros(const Boundaries &cuts) {
        const auto [known, is_new] = blocks_.try_emplace(cuts);
        if (is_new)
            known->second = count_blocks(cuts.first, cuts.second);
        return known->second;
    }

    /// A count of all blocks, by how rows and columns are cut.
    using CutsOfBoth = std::pair<std::vector<int>, std::vector<int>>;
    enum class Most : std::uint8_t { nonzeros, needed };

    [[nodiscard]] std::optional<std::int64_t> known(Most what, const CutsOfBoth &cuts) const {
        const std::map<CutsOfBoth, std::int64_t> &of = most_[static_cast<std::size_t>(what)];
        const auto found = of.find(cuts);
        return found == of.end() ? std::nullopt : std::optional(found->second);
    }

    std::int64_t count(Most what, const CutsOfBoth &cuts) {
        const auto [known, is_new] = most_[static_cast<std::size_t>(what)].try_emplace(cuts);
        if (is_new)
            known->second = what == Most::nonzeros ? most_nonzeros(cuts) : most_needed(cuts);
        return known->second;
    }

  private:
    [[nodiscard]] std::vector<std::int64_t> count_blocks(const std::vector<std::int64_t> &row_cuts,
                                                         const std::vector<std::int64_t> &column_cuts) const {
        std::vector<std::size_t> part(static_cast<std::size_t>(columns_));
        for (std::size_t p = 0; p + 1 < column_cuts.size(); ++p)
            std::fill(part.begin() + column_cuts[p], part.begin() + column_cuts[p + 1], p);
        const std::size_t parts = column_cuts.size() - 1;
        std::vector<std::int64_t> counts((row_cuts.size() - 1) * parts, 0);
        for (std::size_t p = 0; p + 1 < row_cuts.size(); ++p)
            for (std::int64_t i = row_begin_[row_cuts[p]]; i < row_begin_[row_cuts[p + 1]]; ++i)
                ++counts[p * parts + part[column_[i]]];
        return counts;
    }

    [[nodiscard]] std::int64_t most_nonzeros(const CutsOfBoth &cuts) const {
        std::int64_t most = 0;
        const std::vector<std::size_t> row_part = parts(rows(), cuts.first);
        const std::vector<std::size_t> column_part = parts(columns_, cuts.second);
        std::vector<std::int64_t> of_block; // of one part of the rows after another
        for (std::size_t row = 0; row < row_part.size(); ++row) {
            if (row == 0 || row_part[row] != row_part[row - 1])
                of_block.assign(column_part.empty() ? 0 : column_part.back() + 1, 0);
            for (std::int64_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i)
                most = std::max(most, ++of_block[column_part[column_[i]]]);
        }
        return most;
    }

    std::int64_t most_needed(const CutsOfBoth &cuts) {
        std::int64_t most = 0;
        const std::vector<Range> columns = blocks(columns_, cuts.second);
        for (const Range &of_rows : blocks(rows(), cuts.first))
            for (const Range &block : columns)
                most = std::max(most, Range{block.begin, block.end, &list(of_rows)}.size());
        return most;
    }

    /// Those that are not empty.
    static std::vector<Range> blocks(std::int64_t extent, const std::vector<int> &cuts) {
        std::vector<Range> ranges = {{0, extent}};
        for (const int cut : cuts) {
            std::vector<Range> finer;
            for (const Range &range : ranges)
                for (int index = 0; index < cut; ++index)
                    finer.push_back(block(range, cut, index));
            ranges = std::move(finer);
        }
        std::erase_if(ranges, [](const Range &range) { return range.size() == 0; });
        return ranges;
    }

    /// The number of each index's block.
    static std::vector<std::size_t> parts(std::int64_t extent, const std::vector<int> &cuts) {
        std::vector<std::size_t> part;
        std::size_t number = 0;
        for (const Range &range : blocks(extent, cuts))
            part.insert(part.end(), static_cast<std::size_t>(range.size()), number++);
        return part;
    }

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(row_begin_.size()) - 1; }

    std::vector<std::int64_t> row_begin_;
    std::vector<std::int32_t> column_;
    std::int64_t columns_;
    std::array<std::map<CutsOfBoth, std::int64_t>, 2> most_; ///< by Most
    std::map<Boundaries, std::vector<std::int64_t>> blocks_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int32_t>> lists_; ///< by range of rows
};

struct Numbered {
    explicit Numbered(const Pattern &pattern) : as_it_is(pattern) {}

    ByRows as_it_is;
    std::optional<ByRows> transposed; ///< if somebody asked
    bool is_symmetric = false;        ///< then it is itself its transposed matrix

    /// Null: not made yet.
    [[nodiscard]] const ByRows *known(bool of_transposed) const {
        return !of_transposed || is_symmetric ? &as_it_is : transposed ? &*transposed : nullptr;
    }
    [[nodiscard]] ByRows &make(bool of_transposed) {
        if (of_transposed && !is_symmetric && !transposed) {
            const Pattern other = as_it_is.transposed();
            is_symmetric = as_it_is.equals(other);
            if (!is_symmetric)
                transposed.emplace(other);
        }
        return !of_transposed || is_symmetric ? as_it_is : *transposed;
    }
};

/// Planners ask from several threads.
struct Registry {
    std::shared_mutex mutex;
    std::map<int, Numbered> matrices;

    /// With its number or, transposed, -number.
    [[nodiscard]] Numbered &at(int number) {
        const auto found = matrices.find(std::abs(number));
        if (found == matrices.end())
            throw std::logic_error("matrix " + std::to_string(number) + " of a layout is not known");
        return found->second;
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
        if (matrix.as_it_is.equals(pattern))
            return number;
        next = number + 1;
    }
    all.matrices.try_emplace(next, pattern);
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
        all.matrices.try_emplace(number, pattern);
}

Range needed_rows(int matrix, Range rows, Range columns) {
    if (rows.size() == 0 || columns.size() == 0)
        return {columns.begin, columns.begin};
    Registry &all = registry();
    {
        const std::shared_lock lock(all.mutex);
        const ByRows *by_rows = all.at(matrix).known(matrix < 0);
        if (const auto *known = by_rows != nullptr ? by_rows->known(rows) : nullptr)
            return {columns.begin, columns.end, known};
    }
    const std::scoped_lock lock(all.mutex);
    return {columns.begin, columns.end, &all.at(matrix).make(matrix < 0).list(rows)};
}

static std::int64_t most(ByRows::Most what, int matrix, bool of_transposed, const ByRows::CutsOfBoth &cuts) {
    Registry &all = registry();
    {
        const std::shared_lock lock(all.mutex);
        const ByRows *by_rows = all.at(matrix).known(of_transposed);
        if (const auto known = by_rows != nullptr ? by_rows->known(what, cuts) : std::nullopt)
            return *known;
    }
    const std::scoped_lock lock(all.mutex);
    return all.at(matrix).make(of_transposed).count(what, cuts);
}

std::int64_t most_nonzeros(int matrix, const std::vector<int> &row_cuts, const std::vector<int> &column_cuts) {
    const bool transposed = matrix < 0; // whose blocks have as many
    return most(ByRows::Most::nonzeros, matrix, false,
                {transposed ? column_cuts : row_cuts, transposed ? row_cuts : column_cuts});
}

const std::vector<std::int64_t> &block_nonzeros(int matrix, const std::vector<std::int64_t> &row_cuts,
                                                const std::vector<std::int64_t> &column_cuts) {
    Registry &all = registry();
    const std::scoped_lock lock(all.mutex);
    return all.at(matrix).as_it_is.block_nonzeros({row_cuts, column_cuts});
}

std::int64_t most_needed_rows(int matrix, const std::vector<int> &row_cuts, const std::vector<int> &column_cuts) {
    return most(ByRows::Most::needed, matrix, matrix < 0, {row_cuts, column_cuts});
}

} // namespace planrt
