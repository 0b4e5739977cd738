// Sparse times dense against the definition, compiled like emitted programs.
#include <planrt/spmm.h>

#include "graphs.h"

#include <gtest/gtest.h>

#include <vector>

namespace planrt {
namespace {

using tests::random_pattern;

class Spmm : public testing::Test {
  protected:
    template <class T> std::vector<T> numbers(std::int64_t count) {
        std::vector<T> values(count);
        for (T &value : values)
            value = static_cast<T>(static_cast<int>(random_() % 9) - 4); // exact in any order
        return values;
    }

    /// Compares a product by the kernel with the definition; rows of x and y are longer than the features.
    template <class T> void check(const Pattern &pattern, std::int64_t features, Into into) {
        const std::int64_t x_stride = features + 3;
        const std::int64_t y_stride = features + 1;
        const std::vector<T> x = numbers<T>(pattern.columns * x_stride);
        std::vector<T> y = numbers<T>(pattern.rows * y_stride);
        std::vector<T> expected = y;
        for (std::int64_t v = 0; v < pattern.rows; ++v)
            for (std::int64_t f = 0; f < features; ++f) {
                T sum = into == Into::add ? y[v * y_stride + f] : 0;
                for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i)
                    sum += static_cast<T>(pattern.value_of(i)) * x[pattern.column[i] * x_stride + f];
                expected[v * y_stride + f] = sum;
            }
        const std::vector<T> values(pattern.values.begin(), pattern.values.end());
        const SparseBlock<T> block{pattern.rows, pattern.row_begin.data(), pattern.column.data(),
                                   values.empty() ? nullptr : values.data(), static_cast<T>(pattern.value)};
        spmm(block, features, x.data(), x_stride, y.data(), y_stride, into);
        ASSERT_EQ(y, expected) << features << " features";
    }

    std::mt19937 random_{8};
};

TEST_F(Spmm, AllNumbersOfFeatures) {
    for (int features = 0; features <= 300; ++features) {
        Pattern pattern = random_pattern(9, 7, 20, features % 2 == 0, random_);
        if (features % 2 == 1) {
            pattern.values = {}; // sums of duplicates
            pattern.value = 3;
        }
        check<float>(pattern, features, features % 3 == 0 ? Into::add : Into::assign);
        check<double>(pattern, features, features % 3 == 0 ? Into::assign : Into::add);
    }
}

TEST_F(Spmm, EmptyRowsAndMatrices) {
    check<float>(tests::pattern_at(0, 0, {}), 16, Into::assign);
    check<float>(tests::pattern_at(3, 0, {}), 16, Into::assign);
    check<float>(tests::pattern_at(5, 5, {{4, 4}}), 20, Into::assign);
    check<float>(tests::pattern_at(5, 5, {{0, 4}}), 20, Into::add);
}

TEST_F(Spmm, RowsOfALargerMatrix) {
    const Pattern pattern = random_pattern(6, 6, 30, true, random_);
    const std::vector<float> values(pattern.values.begin(), pattern.values.end());
    const std::vector<float> x = numbers<float>(6 * 5);
    std::vector<float> whole(6 * 5);
    std::vector<float> part(3 * 5);
    const SparseBlock<float> all{6, pattern.row_begin.data(), pattern.column.data(), values.data()};
    const SparseBlock<float> rows{3, pattern.row_begin.data() + 2, pattern.column.data(), values.data()};
    spmm(all, 5, x.data(), 5, whole.data(), 5, Into::assign);
    spmm(rows, 5, x.data(), 5, part.data(), 5, Into::assign);
    EXPECT_EQ(part, std::vector<float>(whole.begin() + 10, whole.begin() + 25));
}

TEST_F(Spmm, ThreadsDivideNonzeros) {
    set_thread_count(4);
    std::vector<std::pair<int, int>> nonzeros; // nearly all in one row
    for (int u = 0; u < 2000; ++u)
        nonzeros.emplace_back(100, u);
    for (int v = 0; v < 400; ++v)
        nonzeros.emplace_back(v, v);
    for (const int features : {1, 17, 64, 100}) {
        check<float>(tests::pattern_at(400, 2000, nonzeros), features, Into::assign);
        check<float>(random_pattern(1000, 500, 20000, true, random_), features, Into::add);
    }
    set_thread_count(1);
}

} // namespace
} // namespace planrt
