// Plans of nearly the least sum: what the driver simulates.
#include "plan/near_optimal.h"
#include "sharding/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::plan {
namespace {

using sharding::graphs::Mlp;
using sharding::graphs::training_step;

Request request(std::vector<std::int64_t> extents, int ranks) {
    Request request;
    request.graph = training_step(Mlp{64, std::move(extents), {"io", "hidden", "hidden", "out"}});
    request.machine.flops_per_second = 1e10;
    request.machine.network().latency = Seconds(1e-6);
    request.machine.network().bytes_per_second = 1e9;
    request.ranks = ranks;
    request.mesh.axes = {{"rows", 0}, {"cols", 0}};
    return request;
}

} // namespace

TEST(NearOptimal, IsAllowedDifferentAndNearlyAsCheap) {
    int found = 0;
    for (const int ranks : {2, 3, 4, 6}) {
        Request wanted = request({48, 96, 96, 32}, ranks);
        wanted.pins.resize(wanted.graph.layers.size());
        wanted.pins[LayerId(0)] = {{"batch", {"rows"}, "batch -> rows"}};
        const Plan answer = make_plan(wanted);
        ASSERT_EQ(answer.failure, "");
        const std::vector<Plan> others = near_optimal(wanted, answer, 5);
        EXPECT_LE(others.size(), 5U);
        std::vector<const Plan *> all{&answer};
        for (const Plan &other : others) {
            EXPECT_GE(other.cost->seconds().value, answer.lower_bound.value * (1 - 1e-9));
            EXPECT_LE(other.cost->seconds().value, 1.1 * answer.cost->seconds().value);
            EXPECT_EQ(other.cost->seconds(),
                      evaluate(wanted, other.mesh, other.axes, other.layers, other.storage).seconds());
            const auto rows = std::find(other.axes.begin(), other.axes.end(), "rows") - other.axes.begin();
            if (other.mesh.sizes[rows] > 1) {
                EXPECT_EQ(other.layers[LayerId(0)].loop_of_axis[rows], "batch");
            }
            for (const Plan *before : all)
                EXPECT_FALSE(before->cost->seconds() == other.cost->seconds() &&
                             before->cost->payload == other.cost->payload);
            all.push_back(&other);
        }
        found += static_cast<int>(others.size());
    }
    EXPECT_GT(found, 4);
}

TEST(NearOptimal, KeepsTheLimitOnMemory) {
    Request wanted = request({48, 96, 96, 32}, 4);
    const Plan free = make_plan(wanted);
    wanted.memory_limit_bytes = 0.99 * free.cost->memory.total().value;
    const Plan answer = make_plan(wanted);
    ASSERT_EQ(answer.failure, "");
    for (const Plan &other : near_optimal(wanted, answer, 50))
        EXPECT_LE(other.cost->memory.total().value, wanted.memory_limit_bytes);
}

TEST(NearOptimal, IsTheSameTwice) {
    const Request wanted = request({64, 64, 64, 64}, 8);
    const Plan answer = make_plan(wanted);
    const std::vector<Plan> first = near_optimal(wanted, answer, 3);
    const std::vector<Plan> second = near_optimal(wanted, answer, 3);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].layers, second[i].layers);
        EXPECT_EQ(first[i].mesh.sizes, second[i].mesh.sizes);
    }
}

TEST(FurtherBaselines, AreThoseThatCouldBeFaster) {
    Request wanted = request({48, 96, 96, 32}, 6);
    const Plan answer = make_plan(wanted);
    const std::vector<Plan> others = near_optimal(wanted, answer, 3);
    const Seconds any(1e9);
    const std::vector<Plan> all = further_baselines(wanted, answer, others, any);
    ASSERT_FALSE(all.empty());
    for (const Plan &plan : all) {
        const auto is_it = [&](const Baseline &baseline) {
            return baseline.excluded.empty() && baseline.layers == plan.layers && baseline.axes == plan.axes &&
                   baseline.mesh.sizes == plan.mesh.sizes && baseline.seconds == plan.cost->seconds();
        };
        EXPECT_TRUE(std::any_of(answer.baselines.begin(), answer.baselines.end(), is_it));
        EXPECT_GT(plan.cost->seconds(), answer.cost->seconds());
    }
    // One that takes as long at least is of no interest; where they are shown, one whose links alone take as long.
    for (bool shown : {false, true}) {
        wanted.runner_ups = shown;
        for (const Plan &plan : all)
            for (const Plan &less : further_baselines(wanted, answer, others, least_step(wanted, *plan.cost)))
                EXPECT_LT(least_step(wanted, *less.cost), least_step(wanted, *plan.cost));
        EXPECT_LT(further_baselines(wanted, answer, others, least_step(wanted, *all.front().cost)).size(), all.size());
        EXPECT_LE(all.front().cost->carried(), all.front().cost->at_least());
    }
}

class Fastest : public testing::Test {
  protected:
    Fastest() {
        const Request wanted = request({48, 96, 96, 32}, 6);
        answer = make_plan(wanted);
        CostTable cost = *answer.cost;
        cost.payload += Bytes(1); // of the search, priced as no baseline is
        searched = answer;
        searched.cost = std::make_shared<const CostTable>(cost);
        for (const Plan &plan : further_baselines(wanted, answer, {}, Seconds(1e9)))
            literature = plan;
    }
    [[nodiscard]] const Baseline &known(const Plan &plan) const {
        return *std::find_if(plan.baselines.begin(), plan.baselines.end(),
                             [&](const Baseline &baseline) { return baseline.layers == literature.layers; });
    }
    Plan answer;
    Plan searched;
    Plan literature;
};

TEST_F(Fastest, OfTheSearchOnlyIfItGainsEnough) {
    const Plan stays = fastest({{answer, Seconds(1)}, {searched, Seconds(0.995)}}).plan;
    EXPECT_EQ(stays.cost->payload, answer.cost->payload);
    EXPECT_EQ(stays.simulated->chosen, Seconds(1));
    const auto [taken, place] = fastest({{answer, Seconds(1)}, {searched, Seconds(0.985)}});
    EXPECT_EQ(place, 1U);
    EXPECT_EQ(taken.cost->payload, searched.cost->payload);
    EXPECT_EQ(taken.simulated->chosen, Seconds(0.985));
    EXPECT_EQ(taken.simulated->of_least_sum, Seconds(1));
    EXPECT_EQ(taken.simulated->least_sum, answer.cost->seconds());
    EXPECT_EQ(taken.simulated->plans, 2);
}

TEST_F(Fastest, NoPlanOfTheLiteratureIsFasterAtAll) {
    const Plan taken = fastest({{answer, Seconds(1)}, {literature, Seconds(0.999)}}).plan;
    EXPECT_EQ(taken.layers, literature.layers);
    EXPECT_EQ(taken.simulated->chosen, Seconds(0.999));
    EXPECT_EQ(*known(taken).step, Seconds(0.999));
    EXPECT_EQ(taken.simulated->further, literature.cost->seconds() > 1.1 * answer.cost->seconds() ? 1 : 0);
    const Plan faster = fastest({{answer, Seconds(1)}, {literature, Seconds(0.999)}, {searched, Seconds(0.998)}}).plan;
    EXPECT_EQ(faster.cost->payload, searched.cost->payload) << "neither is then slower than what it is chosen for";
    const Plan stays = fastest({{answer, Seconds(1)}, {literature, Seconds(1)}}).plan;
    EXPECT_EQ(stays.layers, answer.layers);
    EXPECT_EQ(*known(stays).step, Seconds(1));
}

TEST_F(Fastest, WhatExceedsTheMemoryIsNoCandidate) {
    const Plan stays = fastest({{answer, Seconds(1)}, {literature, std::nullopt}}).plan;
    EXPECT_EQ(stays.layers, answer.layers);
    EXPECT_EQ(known(stays).excluded, "exceeds the memory limit");
    EXPECT_FALSE(stays.simulated.has_value());
}

} // namespace planc::plan
