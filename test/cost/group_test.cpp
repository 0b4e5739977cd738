// What a group of ranks crosses, and what its collectives take there (design: cost model, several levels).
#include "cost/collectives/collectives.h"
#include "cost/collectives/transfer_price.h"

#include <gtest/gtest.h>

namespace planc::cost {
namespace {

Link link(double latency, double bytes_per_second, std::int64_t count = 1) {
    Link result;
    result.latency = Seconds(latency);
    result.bytes_per_second = bytes_per_second;
    result.count = count;
    return result;
}

/// Nodes of 8 ranks: 1 us and 10 GB/s within, 5 us and 1 GB/s between.
Machine cluster(std::int64_t links = 1) {
    Machine machine;
    machine.levels = {{8, link(1e-6, 1e10)}, {64, link(5e-6, 1e9, links)}};
    return machine;
}

Group over(const std::vector<int> &axes, const std::vector<int> &sizes, const Machine &machine) {
    return group(axes, sizes, machine);
}

double seconds(Algorithm algorithm, const Group &group, double n) {
    return all_reduce(algorithm, group, Bytes(n), 0, 0).seconds().value;
}

TEST(Group, InsideLinkOnlyWithinANode) {
    const std::vector<int> sizes = {4, 2, 4}; // 4 nodes of 8 ranks: the last two axes are within a node
    const auto latency = [&](const std::vector<int> &axes) {
        return all_gather(Algorithm::recursive_doubling, over(axes, sizes, cluster()), Bytes(0)).latency.value;
    };
    EXPECT_DOUBLE_EQ(latency({2}), 2 * 1e-6);
    EXPECT_DOUBLE_EQ(latency({1}), 1e-6);
    EXPECT_DOUBLE_EQ(latency({1, 2}), 3 * 1e-6);
    EXPECT_DOUBLE_EQ(latency({0}), 2 * 5e-6);
    EXPECT_DOUBLE_EQ(latency({0, 2}), 2 * 5e-6 + 2 * 1e-6); // two rounds between nodes, two within
}

/// The groups of an axis between nodes send through the node's link at once; one ring through all ranks leaves a node
/// once.
TEST(Group, RanksOfANodeShareItsLinks) {
    const double n = 8e6;
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0}, {4, 8}, cluster()), n), 6 * 5e-6 + 2 * 3.0 / 4 * n * 8 / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0}, {4, 8}, cluster(2)), n), 6 * 5e-6 + 2 * 3.0 / 4 * n * 4 / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0}, {4, 8}, cluster(16)), n),
                     6 * 5e-6 + 2 * 3.0 / 4 * n / 1e9); // no rank uses more than one link
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0, 1}, {4, 8}, cluster()), n), 62 * 5e-6 + 2 * 31.0 / 32 * n / 1e9);
}

/// Exchanges at distances of 1, 2 and 4 stay in the node, those at 8 and 16 leave it, all eight ranks at once.
TEST(Group, DoublingGoesThroughTheLevelsInRoundsOfTheirOwn) {
    const double n = 3.2e7;
    const Group all = over({0, 1}, {4, 8}, cluster());
    EXPECT_NEAR(seconds(Algorithm::recursive_doubling, all, n), 3 * (1e-6 + n / 1e10) + 2 * (5e-6 + n * 8 / 1e9),
                1e-12);
    const double within = (1 + 2 + 4) / 32.0;
    const double between = (8 + 16) / 32.0;
    EXPECT_NEAR(seconds(Algorithm::rabenseifner, all, n),
                2 * (3 * 1e-6 + within * n / 1e10 + 2 * 5e-6 + between * n * 8 / 1e9), 1e-12);
    EXPECT_NEAR(seconds(Algorithm::mst, all, n), 2 * (3 * (1e-6 + n / 1e10) + 2 * (5e-6 + n / 1e9)), 1e-12);
}

/// In the node, then each rank its eighth between nodes, then in the node.
TEST(Group, HierarchicalIsAComposition) {
    const double n = 3.2e7;
    const double in_node = 7 * 1e-6 + 7.0 / 8 * n / 1e10;
    const double between = 4 * 5e-6 + 2 * 3.0 / 4 * (n / 8) * 8 / 1e9;
    EXPECT_NEAR(seconds(Algorithm::hierarchical, over({0, 1}, {4, 8}, cluster()), n), 2 * in_node + between, 1e-12);
    const Group inside = over({1}, {4, 8}, cluster()); // nothing to compose
    EXPECT_EQ(seconds(Algorithm::hierarchical, inside, n), seconds(Algorithm::rabenseifner, inside, n));
}

/// Of 24 ranks eight give their vectors to the rank behind them: with three in a socket some of these are in the next
/// one, but with six in a node none is in another node.
TEST(Group, NeighboursAreInTwoUnitsOfOddSize) {
    Machine machine;
    machine.levels = {{3, link(1, 1e30)}, {2, link(10, 1e30)}, {4, link(100, 1e30)}};
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({0}, {24}, machine), 1), 10 + 4 * 100 + 10);
    machine.levels[0].units = 4;
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({0}, {24}, machine), 1), 1 + 4 * 100 + 1);
}

TEST(Group, ThreeLevels) {
    Machine machine;
    machine.levels = {{2, link(1, 1e30)}, {2, link(10, 1e30)}, {4, link(100, 1e30)}};
    const std::vector<int> sizes = {4, 2, 2};
    const auto latency = [&](const std::vector<int> &axes) {
        return seconds(Algorithm::recursive_doubling, over(axes, sizes, machine), 1);
    };
    EXPECT_DOUBLE_EQ(latency({2}), 1);
    EXPECT_DOUBLE_EQ(latency({1}), 10);
    EXPECT_DOUBLE_EQ(latency({0}), 200);
    EXPECT_DOUBLE_EQ(latency({0, 2}), 201);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({1, 2}, sizes, machine), 1), 6 * 10);
}

/// What leaves a rack passes the node's link too.
TEST(Group, TheNarrowestLinkOnTheWayDecides) {
    Machine machine;
    machine.levels = {{4, link(0, 1e10)}, {2, link(0, 1e8)}, {2, link(0, 1e9)}};
    const Group racks = over({0}, {2, 2, 4}, machine);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, racks, 1e6), 1e6 * 4 / 1e8); // four ranks of a node at once
}

/// Six ranks a node, a power of two of them in the program: a ring through all leaves a node once; exchanges at the
/// distances 1, 2, 4, 8 leave it never, twice, six times and six times.
TEST(Group, UnevenNodes) {
    Machine machine;
    machine.levels = {{6, link(1e-6, 1e10)}, {100, link(5e-6, 1e9)}};
    const double n = 1e6;
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0}, {16}, machine), n), 30 * 5e-6 + 2 * 15.0 / 16 * n / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({0}, {16}, machine), n),
                     1e-6 + n / 1e10 + 3 * 5e-6 + (2 + 6 + 6) * n / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::hierarchical, over({0}, {16}, machine), n),
                     seconds(Algorithm::ring, over({0}, {16}, machine), n));
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({1}, {4, 4}, machine), n),
                     6 * 5e-6 + 2 * 3.0 / 4 * n / 1e9); // [4, 8) is over two nodes, which it leaves once each
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, over({0}, {2, 3}, machine), n), 2 * 1e-6 + n / 1e10); // within one node
}

/// Nodes of three ranks: of the pairs {0, 1} and {2, 3} only the second one leaves its node, with one message each way.
TEST(Group, OfPairsThatANodesEndPartsOnlySomeLeave) {
    Machine machine;
    machine.levels = {{3, link(1e-6, 1e10)}, {100, link(5e-6, 1e9)}};
    const double n = 1e6;
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({1}, {2, 2}, machine), n), 5e-6 + n / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({0}, {2, 3}, machine), n), 5e-6 + n * 3 / 1e9);
}

/// A stage crosses what lies between its own ranks, over links that the other stages use at the same time.
TEST(Group, OfAStageCrossesWhatLiesBetweenItsRanks) {
    Machine machine;
    machine.levels = {{6, link(1e-6, 1e10)}, {100, link(5e-6, 1e9)}};
    const double n = 1e6;
    const auto of_stage = [&](int axis, int position, const planrt::Mesh &mesh) {
        const Group group = cost::group(std::vector{1}, mesh, planrt::role_at(mesh, axis, position), machine);
        return seconds(Algorithm::recursive_doubling, group, n);
    };
    const planrt::Mesh eight{{2, 2, 2}}; // stage 1 has the ranks 4 to 7
    EXPECT_DOUBLE_EQ(of_stage(0, 0, eight), 1e-6 + n / 1e10);
    EXPECT_DOUBLE_EQ(of_stage(0, 1, eight), 5e-6 + n * 2 / 1e9);
    const planrt::Mesh twelve{{1, 2, 6}}; // a stage has the same place in both nodes
    EXPECT_DOUBLE_EQ(of_stage(2, 4, twelve), 5e-6 + n * 6 / 1e9);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, over({1}, {1, 2, 6}, machine), n), 5e-6 + n * 6 / 1e9);
}

TEST(Group, PlacementMattersWhereLinksDiffer) {
    EXPECT_FALSE(placement_matters(Machine{}, 512));
    EXPECT_FALSE(placement_matters(cluster(), 8)); // one node
    EXPECT_TRUE(placement_matters(cluster(), 16));
    Machine torus;
    torus.network().shape = {4, 4};
    EXPECT_TRUE(placement_matters(torus, 2));
}

class Torus : public testing::Test {
  protected:
    Torus() {
        machine.network().latency = Seconds(1);
        machine.network().bytes_per_second = 1e30;
        machine.network().shape = {32, 32};
        machine.levels[0].units = 1024;
    }
    [[nodiscard]] double latency(Algorithm algorithm, const std::vector<int> &axes,
                                 const std::vector<int> &sizes) const {
        return all_reduce(algorithm, over(axes, sizes, machine), Bytes(1), 0, 0).latency.value;
    }
    Machine machine;
};

/// Latencies of Castello et al. 2019: 2 sum lg d_k by MST, 2 sum (d_k - 1) by bucket.
TEST_F(Torus, GoesDimensionByDimension) {
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0}, {1024}), 2 * (31 + 31));
    EXPECT_DOUBLE_EQ(latency(Algorithm::mst, {0}, {1024}), 2 * (5 + 5));
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {1}, {32, 32}), 2 * 31);
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0, 1}, {32, 32}), 2 * (31 + 31));
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0}, {64, 16}), 2 * (31 + 1)); // two in a row of 32, all rows
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {1, 2}, {32, 2, 16}), 2 * 31); // two axes in one row
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0}, {3, 32}), 2 * 2);         // part of the machine
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0}, {24, 10}), 2 * 23);       // fills no row: one ring
    machine.network().shape = {8, 8, 16};
    EXPECT_DOUBLE_EQ(latency(Algorithm::ring, {0}, {1024}), 2 * (7 + 7 + 15));
    EXPECT_DOUBLE_EQ(latency(Algorithm::mst, {0}, {1024}), 2 * (3 + 3 + 4));
}

/// Neighbours of the group that are 16 nodes apart share the links between them with 15 other groups; around the ring
/// of 32, half of that distance is the longest.
TEST_F(Torus, DistantNodesShareLinks) {
    machine.network().latency = Seconds(0);
    machine.network().bytes_per_second = 1e9;
    const auto transfer = [&](Algorithm algorithm, const std::vector<int> &axes, const std::vector<int> &sizes) {
        return seconds(algorithm, over(axes, sizes, machine), 1e9);
    };
    EXPECT_DOUBLE_EQ(transfer(Algorithm::ring, {1}, {32, 2, 16}), 16); // 2 * (2-1)/2 * 16
    EXPECT_DOUBLE_EQ(transfer(Algorithm::ring, {1}, {32, 32}), 2 * 31.0 / 32);
    EXPECT_DOUBLE_EQ(transfer(Algorithm::recursive_doubling, {1}, {32, 32}), 1 + 2 + 4 + 8 + 16);
}

TEST(Group, RingHalvesTheVectorDimensionByDimension) {
    Machine machine;
    machine.network().bytes_per_second = 1e9;
    machine.network().shape = {4, 8};
    const Price price = all_reduce(Algorithm::ring, over({0}, {32}, machine), Bytes(1e9), 0, 0);
    EXPECT_DOUBLE_EQ(price.wire.value, 2 * 31.0 / 32 * 1e9);
    EXPECT_DOUBLE_EQ(price.transfer.value, 2 * 31.0 / 32);
}

/// Nodes of 4 ranks; stages of 1, 3 and 6 ranks.
TEST(Group, OfAStageLiesWhereItsRanksAre) {
    Machine machine;
    machine.levels = {{4, link(1e-6, 1e10)}, {64, link(5e-6, 1e9)}};
    const planrt::Mesh mesh = planrt::uneven_mesh(0, {{1, 1}, {1, 3}, {1, 6}});
    const auto stage = [&](int position) {
        return group(std::vector{1}, mesh, planrt::role_at(mesh, 0, position), machine);
    };
    EXPECT_EQ(stage(0).ranks, 1);
    EXPECT_EQ(stage(1).ranks, 3);
    EXPECT_EQ(stage(1).levels.size(), 1U); // ranks 1 to 3, in the first node
    EXPECT_EQ(stage(2).ranks, 6);
    EXPECT_EQ(stage(2).levels.size(), 2U); // ranks 4 to 9
    const auto between = [&](int a, int b) {
        return group_between(mesh, planrt::role_at(mesh, 0, a), planrt::role_at(mesh, 0, b), machine, false);
    };
    EXPECT_EQ(between(0, 1).levels.size(), 1U);
    EXPECT_EQ(between(2, 1).levels.size(), 2U);
    EXPECT_EQ(between(0, 2).ranks, 7);
    // A stage that a node's end parts is uneven, though one of as many ranks at the first rank would not be.
    const planrt::Mesh shifted = planrt::uneven_mesh(0, {{1, 2}, {1, 4}});
    EXPECT_TRUE(group(std::vector{1}, shifted, planrt::role_at(shifted, 0, 0), machine).even);
    EXPECT_FALSE(group(std::vector{1}, shifted, planrt::role_at(shifted, 0, 1), machine).even);
    EXPECT_TRUE(group(std::vector{1}, planrt::Mesh{{2, 4}}, planrt::role_at(planrt::Mesh{{2, 4}}, 0, 1), machine).even);
}

/// Two nodes of 4 ranks, four stages of 2 and two stages of 4; and stages that a node's end parts.
TEST(Group, BetweenStagesIsWhatTheirMessagesCross) {
    Machine machine;
    machine.levels = {{4, link(1e-6, 1e10)}, {64, link(5e-6, 4e9)}};
    const auto between = [&](std::vector<int> sizes, int a, int b, bool alike) {
        const planrt::Mesh mesh{std::move(sizes)};
        return group_between(mesh, planrt::role_at(mesh, 0, a), planrt::role_at(mesh, 0, b), machine, alike);
    };
    EXPECT_FALSE(between({4, 2}, 0, 1, true).leaves());
    EXPECT_TRUE(between({4, 2}, 1, 2, true).leaves());
    EXPECT_FALSE(between({4, 2}, 1, 2, true).stays_inside());
    EXPECT_EQ(bytes_per_second(between({4, 2}, 1, 2, true).levels, 1, true), 2e9); // two messages leave the node
    EXPECT_EQ(bytes_per_second(between({2, 4}, 0, 1, true).levels, 1, true), 1e9);
    // Ranks 3, 4, 5 send to 6, 7, 8: one message leaves each of the first two nodes, the other stays inside.
    const Group parted = between({3, 3}, 1, 2, true);
    EXPECT_TRUE(parted.stays_inside()); // 4 to 7
    EXPECT_TRUE(parted.leaves());       // 3 to 6, 5 to 8
    EXPECT_EQ(parted.levels[1].all, 1);
    EXPECT_EQ(between({3, 3}, 1, 2, false).levels[1].all, 2); // 4 and 5, whose messages go to rank 8 too
}

/// Two stages on the same ranks, one split over `rows` and one not: what the turn of ZB-V moves within a role.
TEST(TransferPrices, WithinARoleTakeTime) {
    Machine machine;
    machine.levels = {{4, link(1e-6, 1e10)}, {64, link(5e-6, 4e9)}};
    const planrt::Mesh mesh{{2, 2}};
    const planrt::Role role = planrt::role_at(mesh, 0, 0);
    planrt::Placement whole;
    whole.dimensions = {planrt::DimensionPlacement{8, {}}};
    planrt::Placement split = whole;
    split.dimensions[0].axes = {1};
    TransferPrices prices(mesh, machine);
    const TransferPrice price = prices({split, role}, {whole, role}, 4, 0);
    EXPECT_EQ(price.price.latency, Seconds(1e-6));
    EXPECT_TRUE(price.stays_inside);
    EXPECT_FALSE(price.leaves);
}

} // namespace
} // namespace planc::cost
