// P14: which ranks have work of their own: as many as loops have iterations to share, in the layer that is split the
// most.
#include "plan/space/ranks_at_work.h"
#include "sharding/graphs.h"

#include <gtest/gtest.h>

namespace planc::plan {
namespace {

using sharding::graphs::everywhere;
using sharding::graphs::Mlp;
using sharding::graphs::training_step;

const Graph graph = training_step(Mlp{6, {5, 4, 3}, {"pixel", "hidden", "digit"}});

Plan plan_on(const std::vector<int> &sizes, const std::vector<std::string> &loop_of_axis) {
    Plan plan;
    plan.mesh = {sizes};
    plan.layers = everywhere(graph, loop_of_axis);
    return plan;
}

TEST(RanksAtWork, EachHasIterationsOfItsOwn) {
    const Plan plan = plan_on({3, 2}, {"batch", "hidden"});
    const RanksAtWork most = ranks_at_work(graph, plan.mesh, plan.layers);
    EXPECT_EQ(most.ranks, 6);
    EXPECT_EQ(most.parts, (std::vector<std::pair<std::string, std::int64_t>>{{"batch", 3}, {"hidden", 2}}));
    EXPECT_EQ(warning_of_idle_ranks(graph, plan), "");
}

TEST(RanksAtWork, MoreRanksThanIterations) {
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({11}, {"batch"})), "");
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({12}, {"batch"})),
              "has work for 6 of 12 ranks at most (layer 'fc1': batch in 6 parts); the others have nothing to do, or "
              "compute what others compute too");
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({50, 2}, {"batch", "batch"})).substr(0, 26),
              "has work for 6 of 100 rank");
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({12, 9}, {"batch", "hidden"})).substr(0, 78),
              "has work for 24 of 108 ranks at most (layer 'fc1': batch in 6 parts, hidden in");
}

TEST(RanksAtWork, AnAxisThatSplitsNothingRepeatsWork) {
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({3, 2}, {"batch", ""})).substr(0, 22), "has work for 3 of 6 ra");
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({2}, {""})), "splits no layer: all 2 ranks compute the same");
    EXPECT_EQ(warning_of_idle_ranks(graph, plan_on({1}, {""})), "");
}

} // namespace
} // namespace planc::plan
