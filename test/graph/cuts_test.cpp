// Cut points: equal shares of rows, and the best balance of rows and nonzeros.
#include <planrt/vertex_order.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace planrt {
namespace {

std::int64_t largest_cost(const std::vector<std::int64_t> &row_begin, const Cuts &cuts, std::int64_t row_cost) {
    std::int64_t largest = 0;
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p)
        largest = std::max(largest, row_begin[cuts[p + 1]] - row_begin[cuts[p]] + row_cost * (cuts[p + 1] - cuts[p]));
    return largest;
}

/// By trying all cuts behind row `from`.
std::int64_t best_cost(const std::vector<std::int64_t> &row_begin, std::int64_t from, int parts,
                       std::int64_t row_cost) {
    const auto rows = static_cast<std::int64_t>(row_begin.size()) - 1;
    if (parts == 1)
        return largest_cost(row_begin, {from, rows}, row_cost);
    std::int64_t best = largest_cost(row_begin, {from, rows}, row_cost);
    for (std::int64_t cut = from; cut < rows; ++cut)
        best = std::min(best, std::max(largest_cost(row_begin, {from, cut}, row_cost),
                                       best_cost(row_begin, cut, parts - 1, row_cost)));
    return best;
}

TEST(Cuts, EqualOnesHaveTheLargerPartsFirst) {
    EXPECT_EQ(equal_cuts(10, 4), (Cuts{0, 3, 6, 8, 10}));
    EXPECT_EQ(equal_cuts(1, 3), (Cuts{0, 1, 1, 1}));
    EXPECT_EQ(equal_cuts(0, 2), (Cuts{0, 0, 0}));
}

TEST(Cuts, BalancedOnesAreTheBest) {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::int64_t> row_begin{0};
        for (int rows = static_cast<int>(random() % 9); rows > 0; --rows)
            row_begin.push_back(row_begin.back() + static_cast<std::int64_t>(random() % 10));
        const int parts = 1 + static_cast<int>(random() % 4);
        const auto row_cost = static_cast<std::int64_t>(random() % 4);
        const Cuts cuts = balanced_cuts(row_begin, parts, row_cost);
        ASSERT_EQ(cuts.size(), parts + 1U);
        EXPECT_EQ(cuts.front(), 0);
        EXPECT_EQ(cuts.back(), static_cast<std::int64_t>(row_begin.size()) - 1);
        EXPECT_TRUE(std::ranges::is_sorted(cuts));
        EXPECT_EQ(largest_cost(row_begin, cuts, row_cost), best_cost(row_begin, 0, parts, row_cost));
    }
}

TEST(Cuts, AlikeRowsAreCutEvenly) {
    std::vector<std::int64_t> row_begin;
    for (std::int64_t v = 0; v <= 10; ++v)
        row_begin.push_back(5 * v);
    const Cuts cuts = balanced_cuts(row_begin, 4, 1);
    for (int part = 0; part < 4; ++part)
        EXPECT_GE(cuts[part + 1] - cuts[part], 2);
}

TEST(Cuts, CountsBeyond32Bits) {
    constexpr std::int64_t many = std::int64_t{3} << 30; // nonzeros of a row; never allocated
    EXPECT_EQ(balanced_cuts(std::vector{0 * many, many, 2 * many, 3 * many, 4 * many}, 2, 1 << 20), (Cuts{0, 2, 4}));
    constexpr std::int64_t most = std::int64_t{1} << 61;
    EXPECT_EQ(balanced_cuts(std::vector<std::int64_t>{0, most - 1, most, most + 1}, 3, 0), (Cuts{0, 1, 2, 3}));
}

} // namespace
} // namespace planrt
