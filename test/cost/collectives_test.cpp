// Closed forms and published numbers (design: cost model).
#include "cost/collectives/collectives.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::cost {
namespace {

Group ranks(std::int64_t p, double latency, double bytes_per_second) {
    Link link;
    link.latency = Seconds(latency);
    link.bytes_per_second = bytes_per_second;
    return star(p, link);
}

constexpr double alpha = 2e-6;
constexpr double beta = 1e-9;

TEST(AllReduce, ClosedForms) {
    const Group eight = ranks(8, alpha, 1 / beta);
    const Bytes n(1e6);
    const auto seconds = [&](Algorithm algorithm, const Group &group) {
        return all_reduce(algorithm, group, n, 0, 0).seconds().value;
    };
    EXPECT_DOUBLE_EQ(seconds(Algorithm::ring, eight), 14 * alpha + 2 * 7.0 / 8 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::rabenseifner, eight), 6 * alpha + 2 * 7.0 / 8 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, eight), 3 * alpha + 3e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::mst, eight), 6 * alpha + 6e6 * beta);
    const Group six = ranks(6, alpha, 1 / beta); // not a power of two
    EXPECT_DOUBLE_EQ(seconds(Algorithm::rabenseifner, six), 2 * 3 * alpha + 2 * 5.0 / 6 * 1e6 * beta);
    EXPECT_DOUBLE_EQ(seconds(Algorithm::recursive_doubling, six), (2 + 2) * (alpha + 1e6 * beta));
}

TEST(AllReduce, OneRankIsFree) {
    for (Algorithm algorithm :
         {Algorithm::ring, Algorithm::rabenseifner, Algorithm::recursive_doubling, Algorithm::mst})
        EXPECT_EQ(all_reduce(algorithm, ranks(1, alpha, 1e9), Bytes(1e6), 1e6, 1e9).seconds().value, 0);
}

TEST(AllReduce, ArithmeticWhereTheMachineHasARate) {
    const Price price = all_reduce(Algorithm::ring, ranks(4, alpha, 1e9), Bytes(4e6), 1e6, 1e9);
    EXPECT_DOUBLE_EQ(price.arithmetic.value, 3.0 / 4 * 1e6 / 1e9);
    EXPECT_DOUBLE_EQ(price.seconds().value, price.latency.value + price.transfer.value + price.arithmetic.value);
}

/// One fused all-reduce at P = 1000 on the star of SKYLAKE (Castello et al. 2019).
TEST(AllReduce, PublishedFusedGradients) {
    const Group star = ranks(1000, 0.5e-6, 25e9);
    const auto milliseconds = [&](Algorithm algorithm, double parameters) {
        return 1e3 * all_reduce(algorithm, star, Bytes(4 * parameters), 0, 0).seconds().value;
    };
    EXPECT_NEAR(milliseconds(Algorithm::mst, 61'842'345), 197.9, 0.05);
    EXPECT_NEAR(milliseconds(Algorithm::ring, 61'842'345), 20.77, 0.01);
    EXPECT_NEAR(milliseconds(Algorithm::mst, 25'557'032), 81.8, 0.05);
    EXPECT_NEAR(milliseconds(Algorithm::ring, 25'557'032), 9.17, 0.01);
    EXPECT_NEAR(milliseconds(Algorithm::mst, 23'834'568), 76.3, 0.05);
    EXPECT_NEAR(milliseconds(Algorithm::ring, 23'834'568), 8.62, 0.01);
}

TEST(Collectives, OtherClosedForms) {
    const Group five = ranks(5, alpha, 1 / beta);
    const Bytes n(1e6);
    const double gathered = 4.0 / 5 * 1e6 * beta;
    const auto gather = [&](Algorithm algorithm) { return all_gather(algorithm, five, n).seconds().value; };
    EXPECT_DOUBLE_EQ(gather(Algorithm::ring), 4 * alpha + gathered);
    EXPECT_DOUBLE_EQ(gather(Algorithm::recursive_doubling), 3 * alpha + gathered);
    const auto scatter = [&](Algorithm algorithm) { return reduce_scatter(algorithm, five, n, 0, 0).seconds().value; };
    EXPECT_DOUBLE_EQ(scatter(Algorithm::ring), 4 * alpha + gathered);
    EXPECT_DOUBLE_EQ(scatter(Algorithm::recursive_halving), 3 * alpha + gathered);
    EXPECT_DOUBLE_EQ(broadcast(Algorithm::binomial, five, n).seconds().value, 3 * alpha + 3e6 * beta);
    EXPECT_DOUBLE_EQ(broadcast(Algorithm::scatter_allgather, five, n).seconds().value, (3 + 4) * alpha + 2 * gathered);
    EXPECT_DOUBLE_EQ(all_to_all(five, Bytes(8e5)).seconds().value, 4 * alpha + 8e5 * beta);
    EXPECT_DOUBLE_EQ(point_to_point(five, true, 3, Bytes(1e5)).seconds().value, 3 * alpha + 1e5 * beta);
}

/// A reduce-scatter and an all-gather by ring cost what the all-reduce by ring costs.
TEST(Collectives, RingHalvesAddUp) {
    for (std::int64_t p = 1; p < 20; ++p) {
        const Group group = ranks(p, alpha, 1e9);
        const double halves = reduce_scatter(Algorithm::ring, group, Bytes(1e6), 0, 0).seconds().value +
                              all_gather(Algorithm::ring, group, Bytes(1e6)).seconds().value;
        EXPECT_NEAR(halves, all_reduce(Algorithm::ring, group, Bytes(1e6), 0, 0).seconds().value, 1e-15);
    }
}

TEST(Collectives, TheTableNamesTheAlgorithmBySize) {
    const AlgorithmTable table{{Algorithm::recursive_doubling, 0},
                               {Algorithm::rabenseifner, 2048},
                               {Algorithm::mst, 2048},
                               {Algorithm::ring, 1e6}};
    const auto named = [&table](double bytes) {
        std::vector<Algorithm> algorithms;
        for (const AlgorithmRange &range : alternatives(table, Bytes(bytes)))
            algorithms.push_back(range.algorithm);
        return algorithms;
    };
    EXPECT_EQ(named(0), std::vector{Algorithm::recursive_doubling});
    EXPECT_EQ(named(2048), std::vector{Algorithm::recursive_doubling});
    EXPECT_EQ(named(2049), (std::vector{Algorithm::rabenseifner, Algorithm::mst}));
    EXPECT_EQ(named(1e9), std::vector{Algorithm::ring});
}

} // namespace
} // namespace planc::cost
