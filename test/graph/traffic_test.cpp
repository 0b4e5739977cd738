// What products move: published counts of Cora, covers against brute force, blocks against their definition.
#include <planrt/graph_file.h>
#include <planrt/needed_rows.h>
#include <planrt/sparse_traffic.h>

#include "graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>
#include <set>

namespace planrt {
namespace {

using tests::pattern_at;
using tests::random_pattern;

/// The fewest rows and columns that cover all nonzeros, by trying all sets of rows: the columns of the other rows
/// follow. At most 12 rows.
std::int64_t smallest_cover(const Pattern &pattern) {
    std::int64_t best = pattern.rows;
    for (unsigned chosen = 0; chosen < 1U << pattern.rows; ++chosen) {
        std::set<std::int32_t> columns;
        for (std::int64_t v = 0; v < pattern.rows; ++v)
            if ((chosen >> v & 1) == 0)
                columns.insert(pattern.columns_of(v).begin(), pattern.columns_of(v).end());
        best = std::min(best, std::popcount(chosen) + static_cast<std::int64_t>(columns.size()));
    }
    return best;
}

/// How many rows and columns a cover of the whole matrix has.
std::pair<std::int64_t, std::int64_t> cover_of(const Pattern &pattern) {
    const auto blocks = block_traffic(pattern, {0, pattern.rows}, {0, pattern.columns}, Covers::all);
    return blocks.empty() ? std::pair<std::int64_t, std::int64_t>()
                          : std::pair(blocks[0].cover_rows, blocks[0].cover_columns);
}

TEST(Cover, SmallestByBruteForce) {
    std::mt19937 random(6);
    for (int round = 0; round < 400; ++round) {
        const std::int64_t rows = 1 + round % 10;
        const std::int64_t columns = 1 + round % 13;
        const Pattern pattern = random_pattern(rows, columns, static_cast<int>(random() % 30), false, random);
        const auto [of_rows, of_columns] = cover_of(pattern);
        const std::int64_t size = of_rows + of_columns;
        ASSERT_EQ(size, smallest_cover(pattern)) << "round " << round;
        ASSERT_LE(size, needed_rows(number_matrix(pattern), {0, rows}, {0, columns}).size());
    }
}

/// Whether the row finds a column, its own or one that another row can give up (Kuhn 1955): a matching by the simplest
/// algorithm.
bool find_column(const Pattern &pattern, std::int64_t row, std::vector<std::int64_t> &row_of,
                 std::vector<bool> &tried) {
    for (const std::int32_t u : pattern.columns_of(row)) {
        if (tried[u])
            continue;
        tried[u] = true;
        if (row_of[u] < 0 || find_column(pattern, row_of[u], row_of, tried)) {
            row_of[u] = row;
            return true;
        }
    }
    return false;
}

/// A smallest cover is as large as a largest matching (König).
TEST(Cover, AsLargeAsTheLargestMatching) {
    std::mt19937 random(9);
    for (int round = 0; round < 100; ++round) {
        const std::int64_t rows = 50 + round;
        const Pattern pattern = random_pattern(rows, 120, 50 + 3 * round, false, random);
        std::vector<std::int64_t> row_of(120, -1);
        std::int64_t matched = 0;
        for (std::int64_t v = 0; v < rows; ++v) {
            std::vector<bool> tried(120);
            matched += find_column(pattern, v, row_of, tried) ? 1 : 0;
        }
        const auto [of_rows, of_columns] = cover_of(pattern);
        ASSERT_EQ(of_rows + of_columns, matched) << "round " << round;
    }
}

TEST(Cover, PrefersColumns) {
    const Pattern path = pattern_at(3, 3, {{0, 0}, {1, 1}, {2, 2}});
    EXPECT_EQ(cover_of(path), std::pair(std::int64_t{0}, std::int64_t{3}));
    const Pattern star = pattern_at(3, 3, {{1, 0}, {1, 1}, {1, 2}});
    EXPECT_EQ(cover_of(star), std::pair(std::int64_t{1}, std::int64_t{0}));
}

TEST(Cover, LongPathsNeedNoStack) {
    std::vector<std::pair<int, int>> nonzeros;
    constexpr int length = 300000; // (v, v) and (v, v + 1): the greedy matching is wrong all along the path
    for (int v = 0; v < length; ++v) {
        nonzeros.emplace_back(v, v + 1);
        nonzeros.emplace_back(v, v);
    }
    nonzeros.emplace_back(length, 0);
    const Pattern pattern = pattern_at(length + 1, length + 1, nonzeros);
    const auto [of_rows, of_columns] = cover_of(pattern);
    EXPECT_EQ(of_rows + of_columns, length + 1);
}

TEST(Traffic, ExampleOfTheHeader) {
    const Pattern pattern = pattern_at(4, 4, {{2, 0}, {3, 0}, {3, 1}});
    EXPECT_EQ(block_traffic(pattern, {0, 2, 4}, {0, 2, 4}, Covers::all),
              (std::vector<BlockTraffic>{{1, 0, 3, 2, 2, 0, 2}}));
    EXPECT_EQ(rows_moved(pattern, {0, 2, 4}), (RowsMoved{4, 2, 2}));
}

TEST(Traffic, BlocksAgainstDefinition) {
    std::mt19937 random(7);
    const Cuts row_cuts{0, 3, 3, 8, 12};
    const Cuts column_cuts{0, 4, 9};
    for (int round = 0; round < 100; ++round) {
        const Pattern pattern = random_pattern(12, 9, round, false, random);
        std::int64_t nonzeros = 0;
        for (const BlockTraffic &block : block_traffic(pattern, row_cuts, column_cuts, Covers::all)) {
            const Range rows{row_cuts[block.row_part], row_cuts[block.row_part + 1]};
            const Range columns{column_cuts[block.column_part], column_cuts[block.column_part + 1]};
            nonzeros += block.nonzeros;
            EXPECT_GT(block.nonzeros, 0);
            EXPECT_LE(block.cover(), std::min(block.rows, block.columns));
            EXPECT_EQ(block.columns, needed_rows(number_matrix(pattern), rows, columns).size());
            EXPECT_EQ(block.rows, needed_rows(-number_matrix(pattern), columns, rows).size());
        }
        EXPECT_EQ(nonzeros, pattern.nonzeros());
    }
}

TEST(Traffic, CoversOnlyWhereAskedFor) {
    const Pattern pattern = pattern_at(2, 2, {{0, 0}, {1, 0}});
    const auto off = block_traffic(pattern, {0, 1, 2}, {0, 1, 2}, Covers::off_diagonal);
    EXPECT_EQ(off[0].cover(), 0);
    EXPECT_EQ(off[1].cover(), 1);
    EXPECT_EQ(block_traffic(pattern, {0, 1, 2}, {0, 1, 2}, Covers::none)[1].cover(), 0);
}

/// The rows of x that the first product moves and the partial rows of y that the second one does.
std::int64_t rows_moved_by(const Halves &halves, const Cuts &cuts) {
    std::int64_t moved = 0;
    for (const BlockTraffic &block : block_traffic(halves.fetched, cuts, cuts, Covers::none))
        moved += block.row_part == block.column_part ? 0 : block.columns;
    for (const BlockTraffic &block : block_traffic(halves.sent, cuts, cuts, Covers::none))
        moved += block.row_part == block.column_part ? 0 : block.rows;
    return moved;
}

TEST(Traffic, HalvesAddUpToTheMatrixAndMoveItsCovers) {
    std::mt19937 random(8);
    for (int round = 0; round < 300; ++round) {
        const std::int64_t extent = 1 + round % 40;
        const Pattern pattern =
            random_pattern(extent, extent, static_cast<int>(random() % 200), round % 2 == 0, random);
        const Cuts cuts = equal_cuts(extent, 1 + static_cast<int>(random() % 9));
        const Halves halves = halves_by_cover(pattern, cuts);
        std::vector<double> sum = tests::dense(halves.fetched);
        std::ranges::transform(sum, tests::dense(halves.sent), sum.begin(), std::plus());
        ASSERT_EQ(sum, tests::dense(pattern)) << "round " << round;
        ASSERT_EQ(halves.fetched.nonzeros() + halves.sent.nonzeros(), pattern.nonzeros());
        ASSERT_EQ(rows_moved_by(halves, cuts), rows_moved(pattern, cuts).cover) << "round " << round;
    }
}

TEST(Traffic, CoraInTheOrderOfItsFile) {
    const std::string path = std::string(SHARED_DATA) + "/cora/adjacency.mtx";
    if (!std::filesystem::exists(path))
        GTEST_SKIP() << "no " << path;
    const Pattern cora = read_graph({GraphFormat::matrix_market, path}, {2708, 2708});
    EXPECT_EQ(cora.nonzeros(), 2 * 5278);
    EXPECT_EQ(transposed(cora), cora);
    EXPECT_EQ(rows_moved(cora, equal_cuts(2708, 1)), (RowsMoved{0, 0, 0}));
    EXPECT_EQ(rows_moved(cora, equal_cuts(2708, 2)), (RowsMoved{2708, 2218, 1714}));
    EXPECT_EQ(rows_moved(cora, equal_cuts(2708, 4)), (RowsMoved{8124, 4322, 3360}));
    EXPECT_EQ(rows_moved(cora, equal_cuts(2708, 8)), (RowsMoved{18956, 6062, 4796}));
}

} // namespace
} // namespace planrt
