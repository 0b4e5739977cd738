// Trees of sampled neighbours: which vertices and entries they have, and that a part of them is that part of the whole.
#include "data/neighbours.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace planrt {
namespace {

/// Vertex 0 has the neighbours 1 to 6, vertex 1 the neighbours 0 and 2, vertex 2 none, all others 0.
class Star : public testing::Test {
  protected:
    Star() {
        std::string edges = "0,1,10\n2,1,20\n"; // source, target, weight
        for (int other = 1; other <= 6; ++other)
            edges += std::to_string(other) + ",0," + std::to_string(other) + "\n";
        for (int target = 3; target <= 6; ++target)
            edges += "0," + std::to_string(target) + ",1\n";
        directory_.write("edges.csv", edges);
        file_.path = "edges.csv";
        file_.rows = file_.columns = 7;
        set_.directory = directory_.path().c_str();
    }
    [[nodiscard]] Neighbours neighbours(std::span<const Hop> hops, std::uint64_t seed = 1) const {
        return {hops, data_source(set_, ""), seed};
    }

    ScratchDirectory directory_;
    MatrixFile file_{"a", GraphFormat::edge_list};
    DataSet set_;
};

constexpr Range whole(std::int64_t extent) {
    return {0, extent};
}

TEST_F(Star, AVertexIsBeforeItsNeighboursWhichNeverRepeat) {
    const std::vector<Hop> hops = {{&file_, 4}};
    Neighbours sampled = neighbours(hops);
    std::map<std::int64_t, int> counts;
    for (int epoch = 0; epoch < 600; ++epoch) {
        sampled.begin_epoch(epoch);
        const std::vector<std::int64_t> roots = {0};
        const std::vector<Range> box = {whole(5)};
        const std::vector<std::int64_t> tree = sampled.vertices(roots, box);
        ASSERT_EQ(tree.size(), 5U);
        EXPECT_EQ(tree[0], 0);
        EXPECT_EQ(std::set(tree.begin(), tree.end()).size(), 5U);
        for (std::size_t i = 1; i < tree.size(); ++i)
            ++counts[tree[i]];
    }
    ASSERT_EQ(counts.size(), 6U); // each of the six in 4 of 6 epochs: 400 +- 4 standard deviations
    for (const auto &[vertex, count] : counts)
        EXPECT_NEAR(count, 400, 47) << vertex;
}

TEST_F(Star, WhereThereAreFewerTheVertexRepeatsWithoutAnEntry) {
    const std::vector<Hop> hops = {{&file_, 3}};
    const Neighbours sampled = neighbours(hops);
    const std::vector<std::int64_t> roots = {1, 2};
    const std::vector<Range> box = {whole(4)};
    EXPECT_EQ(sampled.vertices(roots, box), (std::vector<std::int64_t>{1, 0, 2, 1, 2, 2, 2, 2}));
    const std::vector<Range> entries = {whole(3)};
    EXPECT_EQ(sampled.entries(roots, entries, /*mean=*/false), (std::vector<double>{10, 20, 0, 0, 0, 0}));
    EXPECT_EQ(sampled.entries(roots, entries, /*mean=*/true), (std::vector<double>{5, 10, 0, 0, 0, 0}));
}

/// The expectation of the sampled sum is that of the whole row: 1 + 2 + … + 6.
TEST_F(Star, SampledSumsHaveTheWholeSumAsTheirMean) {
    const std::vector<Hop> hops = {{&file_, 2}};
    Neighbours sampled = neighbours(hops);
    double sum = 0;
    constexpr int epochs = 4000;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        sampled.begin_epoch(epoch);
        const std::vector<std::int64_t> roots = {0};
        const std::vector<Range> box = {whole(2)};
        for (const double value : sampled.entries(roots, box, false))
            sum += value;
    }
    EXPECT_NEAR(sum / epochs, 21, 0.5); // 4 standard deviations of the mean are 0.42
}

TEST_F(Star, APartIsThatPartOfTheWhole) {
    const std::vector<Hop> hops = {{&file_, 3}, {&file_, 2}};
    const Neighbours sampled = neighbours(hops);
    const std::vector<std::int64_t> roots = {0, 1, 5};
    const std::vector<Range> box = {whole(4), whole(3)};
    const std::vector<std::int64_t> all = sampled.vertices(roots, box);
    ASSERT_EQ(all.size(), 36U);
    const std::vector<std::int64_t> last(roots.begin() + 1, roots.end());
    const std::vector<Range> some = {{1, 3}, {2, 3}};
    const std::vector<std::int64_t> part = sampled.vertices(last, some);
    EXPECT_EQ(part, (std::vector<std::int64_t>{all[17], all[20], all[29], all[32]}));
    EXPECT_NE(neighbours(hops, 2).vertices(roots, box), all);
}

} // namespace
} // namespace planrt
