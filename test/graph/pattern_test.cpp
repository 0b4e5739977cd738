// The matrix by rows: made from entries, transposed, permuted; its fingerprint.
#include <planrt/pattern.h>

#include "graph/entries.h"
#include "graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace planrt {
namespace {

using tests::dense;
using tests::pattern_at;
using tests::random_pattern;

TEST(Pattern, EntriesInAnyOrder) {
    const Pattern pattern =
        pattern_of(3, 4, std::vector{2, 0, 2, 0}, std::vector{3, 1, 0, 0}, std::vector{4., 2., 3., 1.});
    EXPECT_EQ(pattern.row_begin, (std::vector<std::int64_t>{0, 2, 2, 4}));
    EXPECT_EQ(pattern.column, (std::vector{0, 1, 0, 3}));
    EXPECT_EQ(pattern.values, (std::vector{1., 2., 3., 4.}));
    EXPECT_EQ(pattern.degree(1), 0);
    EXPECT_EQ(pattern.nonzeros(), 4);
}

TEST(Pattern, DuplicatesAddUp) {
    const Pattern pattern = pattern_of(2, 2, std::vector{1, 0, 1, 1}, std::vector{0, 1, 0, 0});
    EXPECT_EQ(pattern.row_begin, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(pattern.values, (std::vector{1., 3.}));
}

TEST(Pattern, ValuesThatAreAlikeAreLeftOut) {
    const Pattern pattern = pattern_of(2, 2, std::vector{1, 0}, std::vector{0, 1}, std::vector{0.5, 0.5});
    EXPECT_TRUE(pattern.values.empty());
    EXPECT_EQ(pattern.value, 0.5);
    EXPECT_EQ(pattern.value_of(1), 0.5);
}

TEST(Pattern, Empty) {
    const Pattern none = pattern_at(0, 0, {});
    EXPECT_EQ(none.nonzeros(), 0);
    EXPECT_EQ(transposed(none), none);
    const Pattern isolated = pattern_at(3, 2, {});
    EXPECT_EQ(isolated.row_begin, (std::vector<std::int64_t>{0, 0, 0, 0}));
    EXPECT_EQ(transposed(isolated).rows, 2);
}

TEST(Pattern, TransposedAgainstDefinition) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        const Pattern pattern = random_pattern(7, 5, round, round % 2 == 0, random);
        const Pattern other = transposed(pattern);
        for (int v = 0; v < 7; ++v)
            for (int u = 0; u < 5; ++u)
                ASSERT_EQ(dense(pattern)[v * 5 + u], dense(other)[u * 7 + v]);
        EXPECT_EQ(transposed(other), pattern);
        for (std::int64_t u = 0; u < 5; ++u)
            EXPECT_EQ(column_degrees(pattern)[u], other.degree(u));
    }
}

TEST(Pattern, PermutedAgainstDefinition) {
    std::mt19937 random(2);
    std::vector<std::int32_t> rows(6);
    std::vector<std::int32_t> columns(4);
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    for (int round = 0; round < 50; ++round) {
        const Pattern pattern = random_pattern(6, 4, round, round % 2 == 0, random);
        std::ranges::shuffle(rows, random);
        std::ranges::shuffle(columns, random);
        const Pattern other = permuted(pattern, rows, columns);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 4; ++j)
                ASSERT_EQ(dense(other)[i * 4 + j], dense(pattern)[rows[i] * 4 + columns[j]]);
        EXPECT_EQ(other.nonzeros(), pattern.nonzeros());
        EXPECT_EQ(permuted(permuted(pattern, rows, {}), {}, columns), other);
        EXPECT_EQ(permuted(pattern, {}, {}), pattern);
    }
}

TEST(Pattern, FingerprintIsTheSameEverywhere) {
    EXPECT_EQ(fingerprint(pattern_at(3, 3, {{1, 0}, {1, 2}, {2, 1}})), 16910692365161171659U);
    EXPECT_EQ(fingerprint(pattern_at(3, 3, {{2, 1}, {1, 2}, {1, 0}})), 16910692365161171659U);
}

TEST(Pattern, FingerprintTellsWhetherValuesDiffer) {
    Pattern pattern = pattern_at(3, 3, {{1, 0}, {1, 2}, {2, 1}});
    const std::uint64_t alike = fingerprint(pattern);
    pattern.values = {1, 2, 3};
    EXPECT_EQ(fingerprint(pattern) ^ alike, 1U);
    pattern.values = {1, 2, 4};
    EXPECT_EQ(fingerprint(pattern) ^ alike, 1U);
}

TEST(Pattern, FingerprintSeesEveryChange) {
    const std::uint64_t hash = fingerprint(pattern_at(3, 3, {{1, 0}, {1, 2}, {2, 1}}));
    EXPECT_NE(hash, fingerprint(pattern_at(4, 3, {{1, 0}, {1, 2}, {2, 1}})));
    EXPECT_NE(hash, fingerprint(pattern_at(3, 4, {{1, 0}, {1, 2}, {2, 1}})));
    EXPECT_NE(hash, fingerprint(pattern_at(3, 3, {{1, 0}, {1, 2}, {2, 2}})));
    EXPECT_NE(hash, fingerprint(pattern_at(3, 3, {{1, 0}, {2, 0}, {2, 1}})));
    EXPECT_NE(hash, fingerprint(pattern_at(3, 3, {{1, 0}, {1, 2}})));
    EXPECT_NE(fingerprint(pattern_at(0, 0, {})), fingerprint(pattern_at(1, 0, {})));
}

TEST(Pattern, CountsBeyond32Bits) {
    constexpr std::int64_t many = std::int64_t{3} << 30;
    const Pattern pattern{2, 2, {0, many, 2 * many}, {}, {}, 1}; // only its counts
    EXPECT_EQ(pattern.nonzeros(), 6442450944);
    EXPECT_EQ(pattern.degree(1), 3221225472);
    EntryLines lines;
    lines.add(0, 3);
    lines.add(1, 4);
    lines.add(many, many + 7); // after four comments
    EXPECT_EQ(lines.line(many - 1), many + 2);
    EXPECT_EQ(lines.line(2 * many), 2 * many + 7);
}

} // namespace
} // namespace planrt
