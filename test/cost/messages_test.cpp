// What a collective by messages sends, by planrt::steps(), is what it is priced by: round for round, on the busiest
// rank.
#include "cost/collectives/collectives.h"
#include "cost/collectives/step_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace planc::cost {
namespace {

using planrt::CollectiveKind;
using planrt::MessageRound;
using planrt::Range;

/// Elements that the busiest member sends in each round, ascending.
std::vector<double> sent_by_round(CollectiveKind kind, const planrt::Method &method, const std::vector<Range> &blocks) {
    std::vector<double> busiest;
    for (int member = 0; member < static_cast<int>(blocks.size()); ++member) {
        const std::vector<MessageRound> rounds = planrt::steps(kind, method, member, blocks);
        busiest.resize(rounds.size(), 0);
        for (std::size_t k = 0; k < rounds.size(); ++k)
            busiest[k] = std::max(busiest[k], static_cast<double>(planrt::elements(rounds[k].sent)));
    }
    std::sort(busiest.begin(), busiest.end());
    return busiest;
}

/// The same as it is priced, of a vector of `count` elements.
std::vector<double> priced_by_round(const std::vector<Round> &rounds, std::int64_t count) {
    std::vector<double> parts;
    for (const Round &round : rounds)
        parts.insert(parts.end(), static_cast<std::size_t>(round.messages),
                     round.share / round.messages * static_cast<double>(count));
    std::sort(parts.begin(), parts.end());
    return parts;
}

void expect_equal(const std::vector<double> &sent, const std::vector<double> &priced) {
    ASSERT_EQ(sent.size(), priced.size());
    for (std::size_t k = 0; k < sent.size(); ++k)
        EXPECT_NEAR(sent[k], priced[k], 1e-6 * (1 + priced[k]));
}

std::int64_t total(const std::vector<Range> &blocks) {
    std::int64_t count = 0;
    for (const Range &block : blocks)
        count += block.size();
    return count;
}

std::vector<Range> blocks_of(const std::vector<std::int64_t> &sizes) {
    std::vector<Range> blocks;
    for (const std::int64_t size : sizes) {
        const std::int64_t begin = blocks.empty() ? 0 : blocks.back().end;
        blocks.push_back({begin, begin + size});
    }
    return blocks;
}

Link link(std::vector<std::int64_t> shape) {
    Link result;
    result.latency = Seconds(1e-6);
    result.bytes_per_second = 1e9;
    result.shape = std::move(shape);
    return result;
}

void expect_all_reduces(const Group &group, const std::vector<Algorithm> &algorithms) {
    for (const Algorithm algorithm : algorithms) {
        SCOPED_TRACE(std::string(name(algorithm)) + " on " + std::to_string(group.ranks));
        const planrt::Method how = method(algorithm, group);
        const std::int64_t count = 6 * group.ranks;
        expect_equal(sent_by_round(CollectiveKind::all_reduce, how, planrt::all_reduce_blocks(count, how.shape)),
                     priced_by_round(all_reduce_rounds(algorithm, group), count));
    }
}

TEST(Messages, OfAllReducesAsPriced) {
    for (int p = 2; p <= 17; ++p)
        expect_all_reduces(star(p, link({})),
                           {Algorithm::ring, Algorithm::rabenseifner, Algorithm::recursive_doubling, Algorithm::mst});
}

TEST(Messages, ByDimensionOfANetworkAsPriced) {
    Machine machine;
    machine.levels = {{0, link({4, 3, 5})}};
    const std::vector<int> sizes{4, 3, 5};
    const std::vector<int> axes{0, 1, 2};
    const Group all = group(axes, sizes, machine);
    ASSERT_TRUE(all.by_dimension());
    EXPECT_EQ(method(Algorithm::ring, all).shape, sizes);
    expect_all_reduces(all, {Algorithm::ring, Algorithm::mst});
}

TEST(Messages, NodeByNodeAsPriced) {
    Machine machine;
    machine.levels = {{4, link({})}, {0, link({})}};
    for (const int nodes : {2, 3, 4, 5}) {
        const std::vector<int> sizes{nodes, 4};
        const std::vector<int> axes{0, 1};
        const Group all = group(axes, sizes, machine);
        EXPECT_EQ(method(Algorithm::hierarchical, all), (planrt::Method{planrt::Algorithm::hierarchical, {nodes, 4}}));
        expect_all_reduces(all, {Algorithm::hierarchical});
    }
    const Group one_node = group(std::vector{1}, std::vector{2, 4}, machine);
    EXPECT_EQ(method(Algorithm::hierarchical, one_node), (planrt::Method{planrt::Algorithm::rabenseifner, {4}}));
}

/// With equal blocks exactly; else no more than with blocks as large as the largest, no less than on average.
TEST(Messages, OfReduceScattersAndAllGathersAsPriced) {
    std::mt19937 random(11);
    for (int p = 2; p <= 17; ++p) {
        const Group all = star(p, link({}));
        std::vector<std::int64_t> sizes(p);
        for (std::int64_t &size : sizes)
            size = std::uniform_int_distribution<int>(0, 9)(random);
        sizes.front() = 10;
        const std::vector<Range> equal = blocks_of(std::vector<std::int64_t>(p, 10));
        const std::vector<Range> unequal = blocks_of(sizes);
        for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
            for (const Algorithm algorithm :
                 {Algorithm::ring,
                  kind == CollectiveKind::all_gather ? Algorithm::recursive_doubling : Algorithm::recursive_halving}) {
                SCOPED_TRACE(std::string(name(algorithm)) + " on " + std::to_string(p));
                const planrt::Method how = method(algorithm, all);
                const std::vector<Round> rounds = gather_rounds(algorithm, all);
                expect_equal(sent_by_round(kind, how, equal), priced_by_round(rounds, 10 * p));
                const std::vector<double> sent = sent_by_round(kind, how, unequal);
                const std::vector<double> most = priced_by_round(rounds, 10 * p);
                ASSERT_EQ(sent.size(), most.size());
                for (std::size_t k = 0; k < sent.size(); ++k)
                    EXPECT_LE(sent[k], most[k]);
                EXPECT_GE(std::accumulate(sent.begin(), sent.end(), 0.0),
                          static_cast<double>(total(unequal)) * (p - 1) / p);
            }
    }
}

sharding::Step all_reduce_of(std::int64_t elements) {
    sharding::Step step;
    step.kind = CollectiveKind::all_reduce;
    step.axes = {0};
    step.from.dimensions = {{elements, {}}};
    step.to = step.from;
    step.from.partial = {0};
    return step;
}

/// Of alternatives the cheapest for the size; of MPI's own calls the program has no steps.
TEST(Messages, TheCheapestAlternativeRuns) {
    Machine machine;
    machine.levels = {{0, link({})}};
    const sharding::Mesh mesh{{8}};
    const auto chosen = [&](std::int64_t elements, bool in_bucket = false) {
        return price_step(all_reduce_of(elements), 4, mesh, machine, in_bucket).method.algorithm;
    };
    machine.algorithms.allreduce = {
        {Algorithm::ring, 0}, {Algorithm::recursive_doubling, 0}, {Algorithm::rabenseifner, 0}};
    EXPECT_EQ(chosen(4), planrt::Algorithm::recursive_doubling);
    EXPECT_EQ(chosen(100'000), planrt::Algorithm::rabenseifner);
    EXPECT_EQ(chosen(4, true), planrt::Algorithm::rabenseifner); // by the size that a bucket's member may have
    machine.algorithms.allreduce = {{Algorithm::ring, 0, true}, {Algorithm::ring, 1000}};
    EXPECT_EQ(chosen(4), planrt::Algorithm::mpi);
    EXPECT_EQ(chosen(4000), planrt::Algorithm::ring);
}

TEST(Messages, CarryWhatOneCallOfMpiCannotCount) {
    Machine machine;
    machine.levels = {{0, link({})}};
    const sharding::Mesh mesh{{4}};
    machine.algorithms.allreduce = {{Algorithm::recursive_doubling, 0, true}, {Algorithm::ring, 2048, true}};
    const auto price = [&](std::int64_t elements) { return price_step(all_reduce_of(elements), 4, mesh, machine); };
    const std::int64_t most = 2'147'483'647;
    const StepPrice by_mpi = price(most);
    EXPECT_EQ(by_mpi.method, planrt::Method{});
    const StepPrice by_messages = price(most + 1);
    EXPECT_EQ(by_messages.method, (planrt::Method{planrt::Algorithm::ring, {4}}));
    EXPECT_EQ(by_messages.traffic.calls, 1);
    EXPECT_NEAR(by_messages.price.seconds() / by_mpi.price.seconds(), 1, 1e-6) << "the algorithm is the same";
}

/// What was measured is MPI's call: alternatives by messages keep the price of their links.
TEST(Messages, OnlyMpisOwnCallIsPricedAsMeasured) {
    Machine machine;
    machine.levels = {{0, link({})}};
    const sharding::Mesh mesh{{8}};
    const auto price = [&] { return price_step(all_reduce_of(1000), 4, mesh, machine); };
    machine.algorithms.allreduce = {{Algorithm::ring, 0}};
    const StepPrice ring = price();
    machine.collectives = {{"allreduce", 8, 0, 0.25 * ring.price.latency, 1e15}};
    EXPECT_EQ(price().rate, nullptr);
    EXPECT_EQ(price().price.seconds().value, ring.price.seconds().value);
    machine.algorithms.allreduce = {{Algorithm::ring, 0}, {Algorithm::ring, 0, true}};
    const StepPrice measured = price();
    EXPECT_EQ(measured.method.algorithm, planrt::Algorithm::mpi);
    EXPECT_EQ(measured.rate, machine.collectives.data());
    EXPECT_DOUBLE_EQ(measured.price.seconds().value, 0.25 * ring.price.latency.value + 4000 / 1e15);
    machine.collectives[0].latency = 2 * ring.price.seconds();
    EXPECT_EQ(price().method.algorithm, planrt::Algorithm::ring) << "the messages are cheaper than the call";
    EXPECT_EQ(price().rate, nullptr);
}

} // namespace
} // namespace planc::cost
