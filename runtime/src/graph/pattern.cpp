#include <planrt/pattern.h>

#include <algorithm>
#include <utility>

namespace planrt {

namespace {

/// The first position of each of `count` buckets, and the end, for items whose buckets are given.
std::vector<std::int64_t> bucket_begins(std::int64_t count, std::span<const std::int32_t> bucket) {
    std::vector<std::int64_t> begin(count + 1, 0);
    for (const std::int32_t b : bucket)
        ++begin[b + 1];
    for (std::int64_t b = 0; b < count; ++b)
        begin[b + 1] += begin[b];
    return begin;
}

/// Entries in some order.
struct Entries {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    std::vector<double> values;
};

/// The entries in ascending order of their columns; those of one column keep their order.
Entries by_columns(std::int64_t columns, std::span<const std::int32_t> row, std::span<const std::int32_t> column,
                   std::span<const double> values) {
    std::vector<std::int64_t> next = bucket_begins(columns, column);
    Entries sorted{std::vector<std::int32_t>(row.size()), std::vector<std::int32_t>(row.size()),
                   std::vector<double>(values.size())};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::int64_t at = next[column[i]]++;
        sorted.row[at] = row[i];
        sorted.column[at] = column[i];
        if (!values.empty())
            sorted.values[at] = values[i];
    }
    return sorted;
}

/// Adds up neighbours of the same row and column.
void merge_equal(Pattern &pattern) {
    const auto occurs_twice = [&] {
        for (std::int64_t v = 0; v < pattern.rows; ++v)
            if (std::ranges::adjacent_find(pattern.columns_of(v)) != pattern.columns_of(v).end())
                return true;
        return false;
    };
    if (!occurs_twice())
        return;
    if (pattern.values.empty())
        pattern.values.assign(pattern.column.size(), pattern.value);
    std::int64_t kept = 0;
    for (std::int64_t v = 0, i = 0; v < pattern.rows; ++v) {
        const std::int64_t begin = kept;
        for (; i < pattern.row_begin[v + 1]; ++i) {
            if (kept > begin && pattern.column[kept - 1] == pattern.column[i]) {
                pattern.values[kept - 1] += pattern.values[i];
                continue;
            }
            pattern.column[kept] = pattern.column[i];
            pattern.values[kept++] = pattern.values[i];
        }
        // Row v is read; the beginning of the next row is still needed to find its end.
        pattern.row_begin[v] = begin;
    }
    pattern.row_begin[pattern.rows] = kept;
    pattern.column.resize(kept);
    pattern.values.resize(kept);
}

} // namespace

Pattern pattern_of(std::int64_t rows, std::int64_t columns, std::span<const std::int32_t> row,
                   std::span<const std::int32_t> column, std::span<const double> values) {
    const Entries sorted = by_columns(columns, row, column, values);
    Pattern pattern{rows, columns, bucket_begins(rows, row), std::vector<std::int32_t>(row.size()),
                    std::vector<double>(values.size())};
    std::vector<std::int64_t> next = pattern.row_begin;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::int64_t at = next[sorted.row[i]]++;
        pattern.column[at] = sorted.column[i];
        if (!values.empty())
            pattern.values[at] = sorted.values[i];
    }
    merge_equal(pattern);
    drop_alike_values(pattern);
    return pattern;
}

Pattern transposed(const Pattern &pattern) {
    Pattern result{pattern.columns,
                   pattern.rows,
                   bucket_begins(pattern.columns, pattern.column),
                   std::vector<std::int32_t>(pattern.column.size()),
                   std::vector<double>(pattern.values.size()),
                   pattern.value};
    std::vector<std::int64_t> next = result.row_begin;
    for (std::int64_t v = 0; v < pattern.rows; ++v)
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i) {
            const std::int64_t at = next[pattern.column[i]]++;
            result.column[at] = static_cast<std::int32_t>(v);
            if (!pattern.values.empty())
                result.values[at] = pattern.values[i];
        }
    return result;
}

Pattern permuted(const Pattern &pattern, std::span<const std::int32_t> rows, std::span<const std::int32_t> columns) {
    std::vector<std::int32_t> place(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
        place[columns[i]] = static_cast<std::int32_t>(i);
    Pattern result{pattern.rows, pattern.columns, {0}, {}, {}, pattern.value};
    result.row_begin.reserve(pattern.row_begin.size());
    result.column.reserve(pattern.column.size());
    result.values.reserve(pattern.values.size());
    std::vector<std::pair<std::int32_t, std::int64_t>> row; // new column, old nonzero
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        const std::int64_t old = rows.empty() ? v : rows[v];
        row.clear();
        for (std::int64_t i = pattern.row_begin[old]; i < pattern.row_begin[old + 1]; ++i)
            row.emplace_back(columns.empty() ? pattern.column[i] : place[pattern.column[i]], i);
        std::ranges::sort(row);
        for (const auto &[column, nonzero] : row) {
            result.column.push_back(column);
            if (!pattern.values.empty())
                result.values.push_back(pattern.values[nonzero]);
        }
        result.row_begin.push_back(static_cast<std::int64_t>(result.column.size()));
    }
    return result;
}

std::uint64_t fingerprint(const Pattern &pattern) {
    std::uint64_t hash = 0xcbf29ce484222325;
    // Each step is one-to-one in `hash`, so two patterns that differ in one number only never agree.
    const auto add = [&hash](std::int64_t number) {
        hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    };
    add(pattern.rows);
    add(pattern.columns);
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        add(pattern.degree(v));
        for (const std::int32_t u : pattern.columns_of(v))
            add(u);
    }
    return pattern.values.empty() ? hash | 1U : hash & ~std::uint64_t{1};
}

std::vector<std::int64_t> column_degrees(const Pattern &pattern) {
    std::vector<std::int64_t> degrees(pattern.columns, 0);
    for (const std::int32_t u : pattern.column)
        ++degrees[u];
    return degrees;
}

void drop_alike_values(Pattern &pattern) {
    if (pattern.values.empty())
        return;
    const double first = pattern.values[0];
    if (std::ranges::any_of(pattern.values, [first](double value) { return value != first; }))
        return;
    pattern.value = first;
    pattern.values = {};
}

} // namespace planrt
