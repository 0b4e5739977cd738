#include "graphs.h"

namespace planrt::tests {

Pattern pattern_at(std::int64_t rows, std::int64_t columns, const std::vector<std::pair<int, int>> &nonzeros) {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    for (const auto &[v, u] : nonzeros) {
        row.push_back(v);
        column.push_back(u);
    }
    return pattern_of(rows, columns, row, column);
}

Pattern random_pattern(std::int64_t rows, std::int64_t columns, int entries, bool has_values, std::mt19937 &random) {
    const auto below = [&](std::int64_t bound) {
        return static_cast<std::int32_t>(std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random));
    };
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    std::vector<double> values;
    for (int i = 0; i < entries; ++i) {
        row.push_back(below(rows));
        column.push_back(below(columns));
        if (has_values)
            values.push_back(1 + below(9));
    }
    return pattern_of(rows, columns, row, column, values);
}

std::vector<double> dense(const Pattern &pattern) {
    std::vector<double> result(pattern.rows * pattern.columns, 0);
    for (std::int64_t v = 0; v < pattern.rows; ++v)
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i)
            result[v * pattern.columns + pattern.column[i]] = pattern.value_of(i);
    return result;
}

} // namespace planrt::tests
