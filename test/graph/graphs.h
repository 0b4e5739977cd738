// Graphs for tests.
#pragma once

#include <planrt/pattern.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace planrt::tests {

/// A matrix of ones at (row, column).
[[nodiscard]] Pattern pattern_at(std::int64_t rows, std::int64_t columns,
                                 const std::vector<std::pair<int, int>> &nonzeros);

/// `entries` random positions, some of them twice; values 1 to 9 if `has_values`.
[[nodiscard]] Pattern random_pattern(std::int64_t rows, std::int64_t columns, int entries, bool has_values,
                                     std::mt19937 &random);

/// Row-major, zeros included.
[[nodiscard]] std::vector<double> dense(const Pattern &pattern);

} // namespace planrt::tests
