// Closed forms and published numbers (design: cost model).
#include "cost/collectives.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::cost {
namespace {

Group ranks(std::int64_t p, double latency, double bytes_per_second) {
    Group group;
    group.ranks = p;
    group.link.latency = Seconds(latency);
    group.link.bytes_per_second = bytes_per_second;
    return group;
}

constexpr double alpha = 2e-6;
constexpr double beta = 1e-9;

TEST(AllReduce, ClosedForms) {
    const Group eight = ranks(8, alpha, 1 / beta);
    const Bytes n(1e6);
    const auto seconds = [&](AllReduce algorithm, const Group &group) {
        return all_reduce(algorithm, group, n, 0, 0).seconds().value;
    };
    EXPECT_DOUBLE_EQ(seconds(AllReduce::ring, eight), 14 * alpha + 2 * 7.0 / 8 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(AllReduce::rabenseifner, eight), 6 * alpha + 2 * 7.0 / 8 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(AllReduce::recursive_doubling, eight), 3 * alpha + 3e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(AllReduce::mst, eight), 6 * alpha + 6e6 * beta);
    const Group six = ranks(6, alpha, 1 / beta); // not a power of two: MPICH's form
    EXPECT_DOUBLE_EQ(seconds(AllReduce::rabenseifner, six), (2 * 2 + 2) * alpha + (2 * 5.0 / 6 + 2) * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(AllReduce::recursive_doubling, six), 3 * alpha + 3e6 * beta);
}

TEST(AllReduce, OneRankIsFree) {
    for (AllReduce algorithm :
         {AllReduce::ring, AllReduce::rabenseifner, AllReduce::recursive_doubling, AllReduce::mst})
        EXPECT_EQ(all_reduce(algorithm, ranks(1, alpha, 1e9), Bytes(1e6), 1e6, 1e9).seconds().value, 0);
}

TEST(AllReduce, ArithmeticWhereTheMachineHasARate) {
    const Price price = all_reduce(AllReduce::ring, ranks(4, alpha, 1e9), Bytes(4e6), 1e6, 1e9);
    EXPECT_DOUBLE_EQ(price.arithmetic.value, 3.0 / 4 * 1e6 / 1e9);
    EXPECT_DOUBLE_EQ(price.seconds().value, price.latency.value + price.transfer.value + price.arithmetic.value);
}

/// One fused all-reduce at P = 1000 on the star of SKYLAKE (Castello et al. 2019).
TEST(AllReduce, PublishedFusedGradients) {
    const Group star = ranks(1000, 0.5e-6, 25e9);
    const auto milliseconds = [&](AllReduce algorithm, double parameters) {
        return 1e3 * all_reduce(algorithm, star, Bytes(4 * parameters), 0, 0).seconds().value;
    };
    EXPECT_NEAR(milliseconds(AllReduce::mst, 61'842'345), 197.9, 0.05);
    EXPECT_NEAR(milliseconds(AllReduce::ring, 61'842'345), 20.77, 0.01);
    EXPECT_NEAR(milliseconds(AllReduce::mst, 25'557'032), 81.8, 0.05);
    EXPECT_NEAR(milliseconds(AllReduce::ring, 25'557'032), 9.17, 0.01);
    EXPECT_NEAR(milliseconds(AllReduce::mst, 23'834'568), 76.3, 0.05);
    EXPECT_NEAR(milliseconds(AllReduce::ring, 23'834'568), 8.62, 0.01);
}

TEST(Collectives, OtherClosedForms) {
    const Group five = ranks(5, alpha, 1 / beta);
    EXPECT_DOUBLE_EQ(all_gather(five, Bytes(1e6)).seconds().value, 4 * alpha + 4.0 / 5 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(reduce_scatter(five, Bytes(1e6), 0, 0).seconds().value, 4 * alpha + 4.0 / 5 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(broadcast(five, Bytes(1e6)).seconds().value, 3 * alpha + 3e6 * beta);
    EXPECT_DOUBLE_EQ(all_to_all(five, Bytes(8e5)).seconds().value, 4 * alpha + 8e5 * beta);
    EXPECT_DOUBLE_EQ(point_to_point(five.link, 3, Bytes(1e5)).seconds().value, 3 * alpha + 1e5 * beta);
}

/// A reduce-scatter and an all-gather by ring cost what the all-reduce by ring costs.
TEST(Collectives, RingHalvesAddUp) {
    for (std::int64_t p = 1; p < 20; ++p) {
        const Group group = ranks(p, alpha, 1e9);
        const double halves =
            reduce_scatter(group, Bytes(1e6), 0, 0).seconds().value + all_gather(group, Bytes(1e6)).seconds().value;
        EXPECT_NEAR(halves, all_reduce(AllReduce::ring, group, Bytes(1e6), 0, 0).seconds().value, 1e-15);
    }
}

TEST(Group, InsideLinkOnlyWithinANode) {
    Machine machine;
    machine.ranks_per_node = 8;
    machine.network.latency = Seconds(5e-6);
    machine.inside = Link{Seconds(1e-6), 1e10, {}};
    const std::vector<int> sizes = {4, 2, 4}; // 4 nodes of 8 ranks: the last two axes are within a node
    const auto latency = [&](const std::vector<int> &axes) { return group(axes, sizes, machine).link.latency.value; };
    EXPECT_EQ(latency({2}), 1e-6);
    EXPECT_EQ(latency({1}), 1e-6);
    EXPECT_EQ(latency({1, 2}), 1e-6);
    EXPECT_EQ(latency({0}), 5e-6);
    EXPECT_EQ(latency({0, 2}), 5e-6);
    const std::vector<int> six = {6}; // one group that fits no node evenly
    machine.ranks_per_node = 4;
    EXPECT_EQ(group(std::vector<int>{0}, six, machine).link.latency.value, 5e-6);
}

TEST(Group, TorusGoesDimensionByDimension) {
    Machine machine;
    machine.network.latency = Seconds(1);
    machine.network.bytes_per_second = 1e30;
    machine.network.shape = {32, 32};
    const std::vector<int> flat = {1024};
    const Group whole = group(std::vector<int>{0}, flat, machine);
    EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, whole, Bytes(1), 0, 0).latency.value, 2 * (31 + 31));
    EXPECT_DOUBLE_EQ(all_reduce(AllReduce::mst, whole, Bytes(1), 0, 0).latency.value, 2 * (5 + 5));
    const std::vector<int> grid = {32, 32};
    const Group row = group(std::vector<int>{1}, grid, machine);
    EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, row, Bytes(1), 0, 0).latency.value, 2 * 31);
    const std::vector<int> other = {64, 16};
    const Group part = group(std::vector<int>{0}, other, machine);
    EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, part, Bytes(1), 0, 0).latency.value, 2 * 63);
}

} // namespace
} // namespace planc::cost
