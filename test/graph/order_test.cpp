// Orders of vertices.
#include <planrt/graph_file.h>
#include <planrt/sparse_traffic.h>
#include <planrt/vertex_order.h>

#include "graphs.h"
#include "runtime/scratch_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace planrt {
namespace {

using tests::pattern_at;

void expect_permutation(std::vector<std::int32_t> order) {
    std::ranges::sort(order);
    std::vector<std::int32_t> all(order.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
}

TEST(Order, File) {
    const VertexOrder order = order_vertices(pattern_at(5, 5, {{0, 4}}), {VertexOrdering::file, 7, 2});
    EXPECT_EQ(order.vertices, (std::vector{0, 1, 2, 3, 4}));
    EXPECT_EQ(order.cuts, (Cuts{0, 3, 5}));
}

TEST(Order, RandomIsTheSameEverywhere) {
    const Pattern pattern = pattern_at(8, 8, {});
    const VertexOrder order = order_vertices(pattern, {VertexOrdering::random, 1, 2});
    EXPECT_EQ(order.vertices, (std::vector{5, 4, 7, 3, 0, 6, 1, 2}));
    EXPECT_NE(order_vertices(pattern, {VertexOrdering::random, 2, 2}).vertices, order.vertices);
    expect_permutation(order_vertices(pattern_at(1000, 1000, {}), {VertexOrdering::random, 3, 1}).vertices);
}

TEST(Order, MetisIsNotAskedWithoutNeed) {
    const VertexOrder one = order_vertices(pattern_at(3, 3, {{0, 1}}), {VertexOrdering::metis, 0, 1});
    EXPECT_EQ(one.vertices, (std::vector{0, 1, 2}));
    const VertexOrder loops = order_vertices(pattern_at(3, 3, {{1, 1}}), {VertexOrdering::metis, 0, 2});
    EXPECT_EQ(loops.cuts, (Cuts{0, 2, 3}));
    EXPECT_TRUE(order_vertices(pattern_at(0, 0, {}), {VertexOrdering::metis, 0, 2}).vertices.empty());
}

TEST(Order, WithoutMetis) {
    if (has_metis())
        GTEST_SKIP() << "built with METIS";
    EXPECT_EQ(failure_of([] { return order_vertices(pattern_at(3, 3, {{0, 1}}), {VertexOrdering::metis, 0, 2}); }),
              "order = metis needs METIS, which was not there when this was built; on Debian: libmetis-dev");
}

TEST(Order, MetisFindsTwoCliques) {
    if (!has_metis())
        GTEST_SKIP() << "built without METIS";
    std::vector<std::pair<int, int>> nonzeros{{0, 1}}; // the only edge between even and odd vertices
    for (int v = 0; v < 12; ++v)
        for (int u = v % 2; u < 12; u += 2)
            nonzeros.emplace_back(v, u); // directed both ways, with self loops
    const VertexOrder order = order_vertices(pattern_at(12, 12, nonzeros), {VertexOrdering::metis, 0, 2});
    expect_permutation(order.vertices);
    EXPECT_EQ(order.cuts, (Cuts{0, 6, 12}));
    for (int i = 0; i < 12; ++i)
        EXPECT_EQ(order.vertices[i] % 2, order.vertices[i < 6 ? 0 : 6] % 2);
}

TEST(Order, MetisSeesNeitherLoopsNorDirections) {
    if (!has_metis())
        GTEST_SKIP() << "built without METIS";
    std::mt19937 random(10);
    const Pattern directed = tests::random_pattern(200, 200, 600, true, random);
    Pattern ones = directed;
    ones.values = {};
    const auto order_of = [](const Pattern &pattern) {
        return order_vertices(pattern, {VertexOrdering::metis, 0, 4}).vertices;
    };
    EXPECT_EQ(order_of(transposed(directed)), order_of(directed));
    EXPECT_EQ(order_of(with_reversed_edges(ones)), order_of(directed));
    EXPECT_EQ(order_of(with_self_loops(directed)), order_of(directed));
}

TEST(Order, MetisWithMorePartsThanVertices) {
    if (!has_metis())
        GTEST_SKIP() << "built without METIS";
    const VertexOrder order = order_vertices(pattern_at(3, 3, {{0, 1}}), {VertexOrdering::metis, 0, 8});
    expect_permutation(order.vertices);
    EXPECT_EQ(order.cuts.size(), 9U);
}

/// Versions of METIS differ; the limits are about a tenth above what is known.
TEST(Order, MetisOfCora) {
    const std::string path = std::string(SHARED_DATA) + "/cora/adjacency.mtx";
    if (!has_metis() || !std::filesystem::exists(path))
        GTEST_SKIP() << "no METIS, or no " << path;
    const Pattern cora = read_graph({GraphFormat::matrix_market, path}, {2708, 2708});
    const auto moved = [&](int parts) {
        const VertexOrder order = order_vertices(cora, {VertexOrdering::metis, 0, parts});
        expect_permutation(order.vertices);
        const Pattern ordered = permuted(cora, order.vertices);
        const double mean = static_cast<double>(cora.nonzeros() + cora.rows) / parts;
        for (int p = 0; p < parts; ++p) // rows and nonzeros are balanced
            EXPECT_LE(static_cast<double>(ordered.row_begin[order.cuts[p + 1]] - ordered.row_begin[order.cuts[p]] +
                                          order.cuts[p + 1] - order.cuts[p]),
                      1.08 * mean);
        return rows_moved(ordered, order.cuts);
    };
    EXPECT_LE(moved(2).needed, 293);
    EXPECT_LE(moved(2).cover, 227);
    EXPECT_LE(moved(4).needed, 534);
    EXPECT_LE(moved(4).cover, 429);
    EXPECT_LE(moved(8).needed, 880);
    EXPECT_LE(moved(8).cover, 689);
}

} // namespace
} // namespace planrt
