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
        wanted.pins[0] = {{"batch", {"rows"}, "batch -> rows"}};
        const Plan answer = make_plan(wanted);
        ASSERT_EQ(answer.failure, "");
        const std::vector<Plan> others = near_optimal(wanted, answer, 5);
        EXPECT_LE(others.size(), 5U);
        std::vector<const Plan *> all{&answer};
        for (const Plan &other : others) {
            EXPECT_GE(other.cost.seconds().value, answer.lower_bound.value * (1 - 1e-9));
            EXPECT_LE(other.cost.seconds().value, 1.1 * answer.cost.seconds().value);
            EXPECT_EQ(other.cost.seconds(),
                      evaluate(wanted, other.mesh, other.axes, other.layers, other.storage).seconds());
            const auto rows = std::find(other.axes.begin(), other.axes.end(), "rows") - other.axes.begin();
            if (other.mesh.sizes[rows] > 1) {
                EXPECT_EQ(other.layers[0].loop_of_axis[rows], "batch");
            }
            for (const Plan *before : all)
                EXPECT_FALSE(before->cost.seconds() == other.cost.seconds() &&
                             before->cost.payload == other.cost.payload);
            all.push_back(&other);
        }
        found += static_cast<int>(others.size());
    }
    EXPECT_GT(found, 4);
}

TEST(NearOptimal, KeepsTheLimitOnMemory) {
    Request wanted = request({48, 96, 96, 32}, 4);
    const Plan free = make_plan(wanted);
    wanted.memory_limit_bytes = 0.99 * free.cost.memory.total().value;
    const Plan answer = make_plan(wanted);
    ASSERT_EQ(answer.failure, "");
    for (const Plan &other : near_optimal(wanted, answer, 50))
        EXPECT_LE(other.cost.memory.total().value, wanted.memory_limit_bytes);
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

} // namespace planc::plan
