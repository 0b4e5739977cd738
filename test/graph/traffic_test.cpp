// What products move: published counts of Cora, covers against brute force, blocks against their definition.
#include <planrt/graph_file.h>
#include <planrt/needed_rows.h>
#include <planrt/sparse_traffic.h>

#include "graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
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

TEST(Cover, SmallestByBruteForce) {
    std::mt19937 random(6);
    for (int round = 0; round < 400; ++round) {
        const std::int64_t rows = 1 + round % 10;
        const std::int64_t columns = 1 + round % 13;
        const Pattern pattern = random_pattern(rows, columns, static_cast<int>(random() % 30), false, random);
        const BlockCover cover = minimal_cover(pattern, {0, rows}, {0, columns});
        for (std::int64_t v = 0; v < rows; ++v)
            for (const std::int32_t u : pattern.columns_of(v))
                ASSERT_TRUE(std::ranges::binary_search(cover.rows, v) || std::ranges::binary_search(cover.columns, u));
        const auto size = static_cast<std::int64_t>(cover.rows.size() + cover.columns.size());
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
        const BlockCover cover = minimal_cover(pattern, {0, rows}, {0, 120});
        ASSERT_EQ(std::ssize(cover.rows) + std::ssize(cover.columns), matched) << "round " << round;
    }
}

TEST(Cover, PrefersColumns) {
    const Pattern path = pattern_at(3, 3, {{0, 0}, {1, 1}, {2, 2}});
    EXPECT_EQ(minimal_cover(path, {0, 3}, {0, 3}), (BlockCover{{0, 1, 2}, {}}));
    const Pattern star = pattern_at(3, 3, {{1, 0}, {1, 1}, {1, 2}});
    EXPECT_EQ(minimal_cover(star, {0, 3}, {0, 3}), (BlockCover{{}, {1}}));
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
    const BlockCover cover = minimal_cover(pattern, {0, length + 1}, {0, length + 1});
    EXPECT_EQ(cover.rows.size() + cover.columns.size(), length + 1U);
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
            const BlockCover cover = minimal_cover(pattern, rows, columns);
            EXPECT_EQ(block.cover_rows, std::ssize(cover.rows));
            EXPECT_EQ(block.cover_columns, std::ssize(cover.columns));
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
