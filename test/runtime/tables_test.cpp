#include <planrt/tables.h>

#include <gtest/gtest.h>

#include <string>

namespace planrt {
namespace {

constexpr int over_rows[] = {0};
constexpr int ranks_2[] = {2};

void fill(Tables &tables) {
    for (const char *layer : {"block[0]", "block[1]"}) {
        tables.variable({tables.in_layer("%.w", layer), {}, true, Initializer::constant, 0.0, 0.0});
        tables.member(layer, tables.in_layer("gradient of %.w", layer), {.offset = 64}, {.offset = 128});
        tables.member("", tables.in_layer("% and %", layer), {}, {});
    }
    tables.member("block[1]", "last", {}, {});
    tables.collective(CollectiveKind::all_reduce, over_rows, "weight gradient", 256, 512, {{1, 8}, {1, 12}}, 0.5);
    tables.member("loss", "loss", {}, {});
    tables.collective(CollectiveKind::all_gather, {}, "loss", 0, 0, {{2, 4, 6, 8}}, 0.25, Algorithm::ring, ranks_2);
    tables.sum({0, 64});
    tables.work({"block[0]", "forward", 0.125});
}

TEST(Tables, NameVariablesByTheirLayers) {
    const Tables tables(fill);
    ASSERT_EQ(tables.variables().size(), 2U);
    EXPECT_EQ(std::string(tables.variables()[0].name), "block[0].w");
    EXPECT_EQ(std::string(tables.variables()[1].name), "block[1].w");
    ASSERT_EQ(tables.sums().size(), 1U);
    EXPECT_EQ(tables.sums()[0].end, 64);
    ASSERT_EQ(tables.work().size(), 1U);
    EXPECT_EQ(std::string(tables.work()[0].part), "forward");
    EXPECT_EQ(tables.work()[0].seconds, 0.125);
}

TEST(Tables, AreRowsOfTrafficWithEveryLayerOnce) {
    const Tables tables(fill);
    ASSERT_EQ(tables.traffic().size(), 2U);
    const TrafficRow &row = tables.traffic()[0];
    EXPECT_EQ(std::string(row.layer), "block[0], block[1]");
    EXPECT_EQ(std::string(row.phase), "weight gradient");
    EXPECT_EQ(std::string(row.tensor),
              "gradient of block[0].w, block[0] and block[0], gradient of block[1].w, block[1] and block[1], last");
    EXPECT_EQ(std::string(tables.traffic()[1].layer), "loss");
}

TEST(Tables, GiveACollectiveTheMembersSinceTheLastOne) {
    const Tables tables(fill);
    ASSERT_EQ(tables.collectives().size(), 2U);
    const Collective &first = tables.collectives()[0];
    EXPECT_EQ(first.row, 0);
    EXPECT_EQ(first.members.size(), 5U);
    EXPECT_EQ(first.members[2].from.offset, 64);
    EXPECT_EQ(first.members[2].to.offset, 128);
    EXPECT_EQ(first.scratch_offset, 256);
    EXPECT_EQ(first.scratch_bytes, 512);
    ASSERT_EQ(first.predicted.size(), 2U);
    EXPECT_EQ(first.predicted[1].bytes, 12);
    EXPECT_EQ(first.seconds, 0.5);
    const Collective &second = tables.collectives()[1];
    EXPECT_EQ(second.row, 1);
    EXPECT_EQ(second.kind, CollectiveKind::all_gather);
    EXPECT_EQ(second.members.size(), 1U);
    EXPECT_EQ(first.algorithm, Algorithm::mpi);
    EXPECT_EQ(second.algorithm, Algorithm::ring);
    ASSERT_EQ(second.shape.size(), 1U);
    EXPECT_EQ(second.shape[0], 2);
    EXPECT_EQ(second.predicted[0].sent_bytes, 8);
    EXPECT_EQ(second.predicted[0].calls, 2);
}

} // namespace
} // namespace planrt
