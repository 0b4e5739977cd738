#include <planrt/graph_file.h>

#include "support/plain_failure.h"

#include <cmath>
#include <vector>

namespace planrt {

namespace {

/// The sums of rows or columns, and whether any of their values is not 0.
struct Sums {
    std::vector<double> sum;
    std::vector<bool> has_value;

    explicit Sums(std::int64_t count) : sum(count, 0), has_value(count, false) {}
    void add(std::int64_t at, double value) {
        sum[at] += value;
        has_value[at] = has_value[at] || value != 0;
    }
    /// What the values are multiplied by; 0 where all of them are 0.
    [[nodiscard]] double factor(std::int64_t at, bool root, const char *what) const {
        if (!has_value[at])
            return 0;
        if (!(sum[at] > 0) || !std::isfinite(sum[at]))
            throw Failure(text("the sum of %s %lld, counted from 0, is %g: it cannot be normalized", what,
                               static_cast<long long>(at), sum[at]));
        return 1 / (root ? std::sqrt(sum[at]) : sum[at]); // no pow(), whose last digit differs between libraries
    }
};

} // namespace

void normalize(Pattern &pattern, Normalization normalization) {
    if (normalization == Normalization::none)
        return;
    const bool symmetric = normalization == Normalization::symmetric;
    Sums rows(pattern.rows);
    Sums columns(symmetric ? pattern.columns : 0);
    for (std::int64_t v = 0; v < pattern.rows; ++v)
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i) {
            rows.add(v, pattern.value_of(i));
            if (symmetric)
                columns.add(pattern.column[i], pattern.value_of(i));
        }
    std::vector<double> column_factors(columns.sum.size());
    for (std::size_t u = 0; u < column_factors.size(); ++u)
        column_factors[u] = columns.factor(static_cast<std::int64_t>(u), symmetric, "column");
    std::vector<double> values(pattern.column.size());
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        const double factor = rows.factor(v, symmetric, "row");
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i)
            values[i] = pattern.value_of(i) * factor * (symmetric ? column_factors[pattern.column[i]] : 1);
    }
    pattern.values = std::move(values);
    drop_alike_values(pattern);
}

} // namespace planrt
