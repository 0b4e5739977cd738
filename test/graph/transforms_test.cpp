// Reversed edges, self loops, normalization, and the options of read_graph().
#include <planrt/graph_file.h>

#include "graphs.h"
#include "runtime/scratch_directory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planrt {
namespace {

using tests::dense;
using tests::pattern_at;
using tests::random_pattern;

std::string complaint_of(const GraphOptions &options, const std::string &edges) {
    const ScratchDirectory directory;
    const std::string path = directory.write("file", edges);
    const std::string message = failure_of([&] { return read_graph({GraphFormat::edge_list, path}, options); });
    return message.substr(std::min(message.size(), directory.path().size() + 1));
}

TEST(ReversedEdges, BothDirectionsAreOneEdge) {
    EXPECT_EQ(with_reversed_edges(pattern_at(3, 3, {{1, 0}, {0, 1}, {2, 1}, {2, 2}})),
              pattern_at(3, 3, {{1, 0}, {0, 1}, {2, 1}, {1, 2}, {2, 2}}));
    EXPECT_EQ(complaint_of({3, 3, true}, "0,1,2\n1,0,3\n"), "file: the entries at (0, 1) and (1, 0), counted from 0, "
                                                            "are 3 and 2; in an undirected graph both are one edge");
}

TEST(ReversedEdges, AgainstDefinition) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        Pattern pattern = random_pattern(6, 6, round / 2, false, random);
        pattern.values = {};
        const std::vector<double> before = dense(pattern);
        const Pattern both = with_reversed_edges(pattern);
        for (int i = 0; i < 36; ++i)
            ASSERT_EQ(dense(both)[i], before[i] != 0 || before[i % 6 * 6 + i / 6] != 0 ? 1 : 0);
        EXPECT_EQ(transposed(both), both);
    }
}

TEST(SelfLoops, AddedOnceWhereAbsent) {
    const Pattern looped = with_self_loops(pattern_at(3, 3, {{0, 0}, {1, 0}, {1, 2}}));
    EXPECT_EQ(looped, pattern_at(3, 3, {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 2}}));
    EXPECT_EQ(with_self_loops(looped), looped);
}

TEST(SelfLoops, KeepTheValueThatIsThere) {
    const Pattern pattern = pattern_of(2, 2, std::vector{0}, std::vector{0}, std::vector{5.});
    EXPECT_EQ(dense(with_self_loops(pattern)), (std::vector<double>{5, 0, 0, 1}));
}

TEST(Normalization, SymmetricAsByKipfAndWelling) {
    Pattern pattern = with_self_loops(with_reversed_edges(pattern_at(3, 3, {{1, 0}})));
    normalize(pattern, Normalization::symmetric);
    const std::vector<double> expected = {0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 1};
    for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(dense(pattern)[i], expected[i], 1e-15);
}

TEST(Normalization, SymmetricOfADirectedGraphTakesBothDegrees) {
    Pattern pattern = pattern_at(3, 3, {{0, 1}, {0, 2}, {1, 2}});
    normalize(pattern, Normalization::symmetric);
    const std::vector<double> expected = {0, 1 / std::sqrt(2.), 0.5, 0, 0, 1 / std::sqrt(2.), 0, 0, 0};
    for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(dense(pattern)[i], expected[i], 1e-15);
}

TEST(Normalization, RowsSumToOne) {
    std::mt19937 random(4);
    Pattern pattern = random_pattern(8, 5, 20, true, random);
    normalize(pattern, Normalization::row);
    for (std::int64_t v = 0; v < 8; ++v) {
        double sum = 0;
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i)
            sum += pattern.value_of(i);
        EXPECT_NEAR(sum, pattern.degree(v) == 0 ? 0 : 1, 1e-15);
    }
}

TEST(Normalization, IsolatedVerticesAreNotDivided) {
    for (const auto kind : {Normalization::row, Normalization::symmetric}) {
        Pattern none = pattern_at(2, 2, {});
        normalize(none, kind);
        EXPECT_EQ(none, pattern_at(2, 2, {}));
        Pattern some = pattern_at(3, 3, {{0, 1}, {1, 0}});
        normalize(some, kind);
        EXPECT_EQ(some, pattern_at(3, 3, {{0, 1}, {1, 0}}));
        Pattern zeros = pattern_of(2, 2, std::vector{0, 1}, std::vector{1, 0}, std::vector{0., 2.});
        normalize(zeros, kind);
        EXPECT_EQ(dense(zeros)[1], 0);
        EXPECT_NEAR(dense(zeros)[2], 1, 1e-15);
    }
}

TEST(Normalization, SumsThatAreNotPositiveAreRefused) {
    GraphOptions options{3, 3};
    options.normalization = Normalization::row;
    EXPECT_EQ(complaint_of(options, "0,1,2\n2,1,-3\n"),
              "file: the sum of row 1, counted from 0, is -1: it cannot be normalized");
    EXPECT_EQ(complaint_of(options, "0,1,2\n2,1,-2\n"),
              "file: the sum of row 1, counted from 0, is 0: it cannot be normalized");
    EXPECT_EQ(complaint_of(options, "0,1,1e308\n2,1,1e308\n"),
              "file: the sum of row 1, counted from 0, is inf: it cannot be normalized");
    options.normalization = Normalization::symmetric;
    EXPECT_EQ(complaint_of(options, "0,1,2\n0,0,-3\n1,0,4\n"),
              "file: the sum of column 0, counted from 0, is -1: it cannot be normalized");
}

TEST(GraphOptions, Contradictions) {
    EXPECT_EQ(complaint_of({2, 3, true}, ""),
              "file: an undirected graph has as many rows as columns; declared are 2 and 3");
    GraphOptions options{2, 3};
    options.self_loops = true;
    EXPECT_EQ(complaint_of(options, ""),
              "file: a graph with self loops has as many rows as columns; declared are 2 and 3");
    EXPECT_EQ(complaint_of({std::int64_t{1} << 31, 3}, ""),
              "file: 2147483648 × 3 vertices are declared; at most 2147483647 can be");
}

} // namespace
} // namespace planrt
