// Reversed edges and self loops.
#include <planrt/graph_file.h>

#include "support/plain_failure.h"

#include <algorithm>

namespace planrt {

namespace {

/// Appends rows to a matrix that begins without any.
class RowWriter {
  public:
    RowWriter(const Pattern &like, bool has_values) : has_values_(has_values) {
        result_.rows = like.rows;
        result_.columns = like.columns;
        result_.value = like.value;
        result_.row_begin.reserve(like.row_begin.size());
    }
    void add(std::int32_t column, double value) {
        result_.column.push_back(column);
        if (has_values_)
            result_.values.push_back(value);
    }
    void end_row() { result_.row_begin.push_back(static_cast<std::int64_t>(result_.column.size())); }
    Pattern take() && {
        drop_alike_values(result_);
        return std::move(result_);
    }

  private:
    Pattern result_;
    bool has_values_;
};

[[noreturn]] void fail_unequal(std::int64_t row, std::int64_t column, double one, double other) {
    throw Failure(text("the entries at (%lld, %lld) and (%lld, %lld), counted from 0, are %g and %g; in an undirected "
                       "graph both are one edge",
                       static_cast<long long>(row), static_cast<long long>(column), static_cast<long long>(column),
                       static_cast<long long>(row), one, other));
}

} // namespace

Pattern with_reversed_edges(const Pattern &pattern, int sign) {
    const Pattern reversed = transposed(pattern);
    RowWriter result(pattern, sign < 0 || !pattern.values.empty());
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        std::int64_t i = pattern.row_begin[v];
        std::int64_t j = reversed.row_begin[v];
        const std::int64_t i_end = pattern.row_begin[v + 1];
        const std::int64_t j_end = reversed.row_begin[v + 1];
        while (i < i_end || j < j_end) {
            const bool own = i < i_end && (j == j_end || pattern.column[i] <= reversed.column[j]);
            const bool other = j < j_end && (i == i_end || reversed.column[j] <= pattern.column[i]);
            const std::int32_t u = own ? pattern.column[i] : reversed.column[j];
            const double there = other ? sign * reversed.value_of(j) : 0;
            if (own && other && pattern.value_of(i) != there)
                fail_unequal(v, u, pattern.value_of(i), reversed.value_of(j));
            result.add(u, own ? pattern.value_of(i) : there);
            i += own ? 1 : 0;
            j += other ? 1 : 0;
        }
        result.end_row();
    }
    return std::move(result).take();
}

Pattern with_self_loops(const Pattern &pattern) {
    RowWriter result(pattern, !pattern.values.empty() || pattern.value != 1);
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        bool looped = false;
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i) {
            if (!looped && pattern.column[i] > v)
                result.add(static_cast<std::int32_t>(v), 1);
            looped = looped || pattern.column[i] >= v;
            result.add(pattern.column[i], pattern.value_of(i));
        }
        if (!looped)
            result.add(static_cast<std::int32_t>(v), 1);
        result.end_row();
    }
    return std::move(result).take();
}

} // namespace planrt
