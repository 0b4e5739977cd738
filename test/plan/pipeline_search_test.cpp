// The search for pipelines against all pipelines of small networks.
#include "plan/pipeline/depths.h"
#include "plan/pipeline/least_step.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/pipeline/search_pipelines.h"
#include "plan/pipeline/stages.h"
#include "plan/random_request.h"
#include "plan/space/space.h"
#include "plan/space/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace planc::plan {
namespace {

using reference::random_pipelines;
using sharding::reference::Random;
using sharding::reference::uniform;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls `visit` with every way to begin so many stages.
template <class Visit> void all_cuts(const Cuts &cuts, int stages, Begins &begins, Visit visit) {
    if (static_cast<int>(begins.size()) == stages)
        return visit(begins);
    for (std::size_t place = begins.back() + 1; place < cuts.may_begin().size(); ++place)
        if (cuts.may_begin()[place]) {
            begins.push_back(place);
            all_cuts(cuts, stages, begins, visit);
            begins.pop_back();
        }
}

/// Of all pipelines of the request that keep its limit.
double least_of_all(const Request &request) {
    double least = infinity;
    const Cuts cuts(request);
    for (const Depth &depth : depths(request)) {
        const Request inner = with_depth(request, depth);
        for (const MeshShape &shape : mesh_shapes(inner)) {
            const Space space = make_space(inner, shape);
            std::int64_t all = 1;
            for (const auto &options : space.options)
                all *= static_cast<std::int64_t>(options->size());
            for (std::int64_t number = 0; number < all; ++number) {
                Plan plan;
                plan.axes = shape.axes;
                plan.mesh = shape.mesh;
                std::int64_t rest = number;
                for (const auto &options : space.options) {
                    plan.layers.push_back((*options)[static_cast<std::size_t>(rest) % options->size()]);
                    rest /= static_cast<std::int64_t>(options->size());
                }
                for (const StorageChoice &choice : storage_choices(inner, shape)) {
                    plan.storage = choice.storage;
                    for (const int chunks : {1, 2}) {
                        Begins begins{0};
                        all_cuts(cuts, chunks * depth.ranks, begins, [&](const Begins &each) {
                            std::vector<std::string> schedules = searched_schedules(chunks);
                            if (chunks == 1 && depth.ranks % 2 == 0)
                                schedules.emplace_back("chimera");
                            for (const std::string &schedule : schedules) {
                                plan.pipeline = PipelinePlan{depth.axis, schedule, chunks, cuts.stages(each)};
                                const CostTable table = price_pipeline(request, plan);
                                if (request.memory_limit_bytes == 0 ||
                                    table.memory.total().value <= request.memory_limit_bytes)
                                    least = std::min(least, table.seconds().value);
                            }
                        });
                    }
                }
            }
        }
    }
    return least;
}

/// PLANC_TEST_CASES=500 plan_test --gtest_filter=PipelineSearch.FindsTheBest*: 17 minutes.
TEST(PipelineSearch, FindsTheBestOfAllAndItsBoundIsBelow) {
    Random random(7); // NOLINT(cert-msc51-cpp): every run takes the same cases
    const char *asked = std::getenv("PLANC_TEST_CASES");
    const int all = asked != nullptr ? std::atoi(asked) : 16;
    constexpr double little = 0.1;
    int cases = 0;
    int equal = 0;
    double worst = 1;
    for (int i = 0; i < all; ++i) {
        SCOPED_TRACE(i);
        Request request = random_pipelines(random);
        if (i % 2 == 1) // under a limit
            if (const Plan free = search_pipelines(request); has_plan(free))
                request.memory_limit_bytes = free.cost->memory.total().value * 0.05 * uniform(random, 12, 21);
        const Plan plan = search_pipelines(request);
        const double least = least_of_all(request);
        if (least == infinity) {
            EXPECT_FALSE(has_plan(plan));
            continue;
        }
        ASSERT_TRUE(has_plan(plan)) << plan.failure;
        ++cases;
        const double found = plan.cost->seconds().value;
        EXPECT_GE(found, least * (1 - 1e-9));
        EXPECT_LE(plan.lower_bound.value, least * (1 + 1e-9));
        EXPECT_LE(found, least * (1 + 1e-9));
        request.effort = little; // too many pipelines to compare them all
        const Plan near = search_pipelines(request);
        ASSERT_TRUE(has_plan(near)) << near.failure;
        EXPECT_LE(near.lower_bound.value, least * (1 + 1e-9));
        worst = std::max(worst, near.cost->seconds().value / least);
        equal += near.cost->seconds().value <= least * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GE(cases, all / 2);
    EXPECT_GE(3 * equal, 2 * cases);
    EXPECT_LE(worst, 1.25);
}

/// The undivided step tells when no pipeline takes less than a known step, and never does when one takes less.
TEST(PipelineSearch, TheUndividedStepKnowsWhereNoPipelineWins) {
    Random random(9); // NOLINT(cert-msc51-cpp): every run takes the same cases
    int excluded = 0;
    int cases = 0;
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        Request request = random_pipelines(random);
        request.pipeline->any_depth = false;
        const Plan plan = search_pipelines(request);
        if (!has_plan(plan))
            continue;
        ++cases;
        const Request whole = reference::undivided(request);
        const Seconds least = plan.cost->seconds();
        const auto may_win = [&](Seconds at_most) {
            ChancesOfDepths known;
            return chance_of_pipelines(whole, request.graph.microbatches, at_most, known).may_win;
        };
        EXPECT_TRUE(may_win(1.0001 * least));
        EXPECT_FALSE(may_win(1e-3 * least));
        excluded += may_win(0.5 * least) ? 0 : 1;
    }
    EXPECT_GE(cases, 15);
    EXPECT_GE(excluded, cases / 4);
}

TEST(PipelineSearch, IsOverWhereAllRanksCannotHoldTheVariables) {
    Random random(8); // NOLINT(cert-msc51-cpp): every run takes the same cases
    for (int i = 0; i < 10; ++i) {
        Request request = random_pipelines(random);
        const Bytes least = least_state(request);
        const Plan free = search_pipelines(request);
        if (!has_plan(free))
            continue;
        const cost::Memory &memory = free.cost->memory;
        EXPECT_GE((memory.parameters + memory.optimizer_state).value, least.value * (1 - 1e-9));
        request.memory_limit_bytes = 0.99 * least.value;
        const Plan plan = search_pipelines(request);
        EXPECT_TRUE(plan.out_of_memory && plan.state_is_too_large);
        EXPECT_EQ(plan.failure, does_not_fit(least, Bytes(request.memory_limit_bytes), Least::state));
    }
}

} // namespace
} // namespace planc::plan
