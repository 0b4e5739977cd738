// Graphs that are drawn (T12): how many entries, where, and what cannot be drawn.
#include <planrt/graph_file.h>

#include "graphs.h"
#include "runtime/scratch_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace planrt {
namespace {

Pattern drawn(GraphFormat format, std::int64_t edges, GraphOptions options, std::uint64_t seed = 1) {
    GraphFile graph{format, ""};
    graph.edges = edges;
    graph.seed = seed;
    return read_graph(graph, options);
}

bool has_diagonal(const Pattern &pattern) {
    for (std::int32_t v = 0; v < pattern.rows; ++v)
        if (std::ranges::binary_search(pattern.columns_of(v), v))
            return true;
    return false;
}

/// The nonzeros in the rows [begin, end).
std::int64_t nonzeros_of(const Pattern &pattern, std::int64_t begin, std::int64_t end) {
    return pattern.row_begin[end] - pattern.row_begin[begin];
}

TEST(DrawnGraphs, HaveExactlySoManyEntriesOffTheDiagonal) {
    for (const GraphFormat format : {GraphFormat::uniform, GraphFormat::rmat})
        for (const std::int64_t vertices : {2, 3, 100, 1000}) {
            const std::int64_t edges = vertices < 100 ? 1 : 8 * vertices;
            const Pattern pattern = drawn(format, edges, {vertices, vertices});
            EXPECT_EQ(pattern.nonzeros(), edges) << vertices;
            EXPECT_FALSE(has_diagonal(pattern));
            EXPECT_TRUE(pattern.values.empty() && pattern.value == 1);
            EXPECT_EQ(pattern, drawn(format, edges, {vertices, vertices}));
            if (vertices > 100) {
                EXPECT_NE(fingerprint(pattern), fingerprint(drawn(format, edges, {vertices, vertices}, 2)));
            }
        }
}

TEST(DrawnGraphs, MayBeDense) {
    EXPECT_EQ(drawn(GraphFormat::uniform, 6, {4, 4}).nonzeros(), 6);
    EXPECT_EQ(drawn(GraphFormat::uniform, 4950, {100, 100}).nonzeros(), 4950);
}

TEST(DrawnGraphs, MayBeRectangular) {
    for (const GraphFormat format : {GraphFormat::uniform, GraphFormat::rmat}) {
        const Pattern wide = drawn(format, 200, {10, 1000});
        EXPECT_EQ(wide.nonzeros(), 200);
        const Pattern high = drawn(format, 200, {1000, 10});
        EXPECT_EQ(high.nonzeros(), 200);
        EXPECT_GT(*std::ranges::max_element(wide.column), 100);
        EXPECT_GT(nonzeros_of(high, 100, 1000), 0);
    }
}

/// The same numbers on every machine, always.
TEST(DrawnGraphs, AreTheSameForever) {
    EXPECT_EQ(fingerprint(drawn(GraphFormat::uniform, 1000, {300, 300})), 13967924853011925035U);
    EXPECT_EQ(fingerprint(drawn(GraphFormat::rmat, 1000, {300, 300})), 4691277688441114417U);
}

TEST(DrawnGraphs, UniformOnesAreBalancedAndRmatOnesAreNot) {
    constexpr std::int64_t vertices = 4096;
    constexpr std::int64_t edges = 40960;
    const Pattern uniform = drawn(GraphFormat::uniform, edges, {vertices, vertices});
    const Pattern rmat = drawn(GraphFormat::rmat, edges, {vertices, vertices});
    EXPECT_NEAR(static_cast<double>(nonzeros_of(uniform, 0, vertices / 2)), 0.5 * edges, 0.01 * edges);
    EXPECT_NEAR(static_cast<double>(nonzeros_of(rmat, 0, vertices / 2)), 0.76 * edges, 0.03 * edges);
    const auto degree = [](const Pattern &pattern) {
        std::int64_t most = 0;
        for (std::int64_t v = 0; v < pattern.rows; ++v)
            most = std::max(most, pattern.degree(v));
        return most;
    };
    EXPECT_LT(degree(uniform), 40);
    EXPECT_GT(degree(rmat), 200);
}

TEST(DrawnGraphs, LatticesAreRings) {
    EXPECT_EQ(drawn(GraphFormat::lattice, 2, {4, 4}),
              tests::pattern_at(4, 4, {{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 2}}));
    const Pattern wide = drawn(GraphFormat::lattice, 6, {50, 50});
    for (std::int64_t v = 0; v < 50; ++v)
        EXPECT_EQ(wide.degree(v), 6);
    EXPECT_EQ(transposed(wide), wide);
}

TEST(DrawnGraphs, TakeTheOptionsOfFiles) {
    GraphOptions options{100, 100};
    options.undirected = true;
    options.self_loops = true;
    options.normalization = Normalization::row;
    const Pattern pattern = drawn(GraphFormat::uniform, 300, options);
    for (std::int32_t v = 0; v < 100; ++v) {
        EXPECT_TRUE(std::ranges::binary_search(pattern.columns_of(v), v));
        for (const std::int32_t u : pattern.columns_of(v))
            EXPECT_TRUE(std::ranges::binary_search(pattern.columns_of(u), v));
        double sum = 0;
        for (std::int64_t i = pattern.row_begin[v]; i < pattern.row_begin[v + 1]; ++i)
            sum += pattern.value_of(i);
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(DrawnGraphs, SayWhatCannotBeDrawn) {
    const auto complaint = [](GraphFormat format, std::int64_t edges, GraphOptions options) {
        return failure_of([&] { (void)drawn(format, edges, options); });
    };
    EXPECT_EQ(complaint(GraphFormat::uniform, 7, {4, 4}),
              "synthetic_graph: 7 edges are more than half of all places of a 4 × 4 matrix");
    EXPECT_EQ(complaint(GraphFormat::rmat, 32640, {256, 256}),
              "synthetic_graph: 32640 edges are too many for kind = rmat on a 256 × 256 matrix, whose likely places "
              "are full");
    EXPECT_EQ(complaint(GraphFormat::lattice, 4, {4, 4}),
              "synthetic_graph: degree = 4 needs more than as many vertices; declared are 4");
    EXPECT_EQ(complaint(GraphFormat::lattice, 2, {4, 5}),
              "synthetic_graph: a lattice has as many rows as columns; declared are 4 and 5");
}

} // namespace
} // namespace planrt
