// The search for a plan, with invented plans, prices, arenas and times.
#include "planning/plan_search.h"

#include "invented_step.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::planning {

namespace {

using Log = std::vector<std::string>;

/// Plans by the least limit that they keep; below all of them nothing fits.
std::function<plan::Plan(const MemorySavings &, double)> planner_of(std::vector<plan::Plan> plans) {
    return [plans = std::move(plans)](const MemorySavings &, double limit) {
        double least = 1e300;
        for (const plan::Plan &plan : plans) {
            const double bytes = plan.cost->memory.total().value;
            if (limit == 0 || bytes <= limit)
                return plan;
            least = std::min(least, bytes);
        }
        return nothing_fits(least);
    };
}

/// The answer a and what it is compared with.
struct Compared {
    std::vector<plan::Plan> passed;
    std::vector<plan::Plan> baselines;
};

World comparing(const Compared &compared) {
    World world;
    world.make_plan = [compared](const MemorySavings &, double) {
        plan::Plan answer = priced("a", 1.0);
        for (const plan::Plan &other : compared.passed)
            add_passed(answer, other);
        for (const plan::Plan &other : compared.baselines)
            add_baseline(answer, other);
        return answer;
    };
    return world;
}

} // namespace

TEST(PlanSearch, WithoutALimitAPlanIsFoundAndItsStepSimulated) {
    World world;
    world.make_plan = planner_of({priced("a", 1.0, 95)});
    world.figures["a"] = {0.9, 200};
    const std::optional<Answer> answer = world.run({2, {}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
    EXPECT_EQ(answer->savings, (MemorySavings{2, {}}));
    EXPECT_EQ(world.log, (Log{"derive 2", "plan for 0", "schedule step: a", "complete a"}));
    ASSERT_TRUE(answer->schedule && answer->schedule->overlap);
    EXPECT_EQ(answer->schedule->overlap->step.value, 0.9);
}

TEST(PlanSearch, WhereTheLayoutSaysAllNothingIsScheduled) {
    World world;
    world.search = false;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 95)});
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
    EXPECT_FALSE(answer->schedule);
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100"}));
}

TEST(PlanSearch, WhereTheLayoutSaysAllNoSavingsAreTried) {
    World world;
    world.search = false;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 200)});
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, "nothing fits");
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100"}));
}

TEST(PlanSearch, TheFirstPlanKeepsTheLimit) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 95)});
    world.figures["a"] = {0.9, 100};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, "");
    // It may well not fit: it is scheduled alone, as a whole, and simulated when it is known to fit.
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100", "schedule program: a", "simulate a", "complete a"}));
}

TEST(PlanSearch, APlanThatIsLikelyToFitIsScheduledBesideItsCompetitors) {
    World world = comparing({{priced("b", 1.05)}, {}});
    world.asked_limit = 100;
    world.figures["a"] = {0.9, 90};
    world.figures["b"] = {0.95, 90};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100", "schedule step: a b", "complete a"}));
}

TEST(PlanSearch, ALimitThatTheProgramBreaksIsTightened) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 95), priced("b", 1.2, 78)});
    world.figures["a"] = {0.9, 125};
    world.figures["b"] = {1.1, 99};
    const std::optional<Answer> answer = world.run({64, {""}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "b");
    EXPECT_EQ(answer->plan.memory_limit_bytes, 100) << "what the user asked for";
    EXPECT_EQ(answer->step->request().memory_limit_bytes, 80) << "what the plan is the fastest for";
    EXPECT_EQ(world.log, (Log{"derive 64 recompute", "plan for 100", "schedule program: a", "plan for 80",
                              "schedule step: b", "complete b"}));
}

TEST(PlanSearch, TheSamePlanAgainMakesTheNextLimitSmaller) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 50), priced("b", 1.2, 30)});
    world.figures["a"] = {0.9, 125};
    world.figures["b"] = {1.1, 99};
    const std::optional<Answer> answer = world.run({64, {""}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "b");
    EXPECT_EQ(world.log, (Log{"derive 64 recompute", "plan for 100", "schedule step: a", "plan for 80",
                              "schedule step: a", "plan for 40", "schedule step: b", "complete b"}));
}

TEST(PlanSearch, SavingsAreTriedInOrderUntilMoreMicroBatchesOnlyTakeLonger) {
    World world;
    world.asked_limit = 100;
    const auto planner_where = [](bool memory_decides) {
        return [memory_decides](const MemorySavings &savings, double) {
            plan::Plan plan = nothing_fits(300);
            if (savings == MemorySavings{2, {}})
                plan = priced("two", 2.0, 70);
            else if (savings == MemorySavings{2, {""}})
                plan = priced("two, recomputed", 1.5, 60);
            else if (savings.microbatches > 2)
                plan = priced("more", 1.6, 50);
            plan.memory_decided = memory_decides;
            return plan;
        };
    };
    world.figures["two, recomputed"] = {1.4, 80};
    world.make_plan = planner_where(false);
    const std::optional<Answer> answer = world.run({}, 8);
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "two, recomputed");
    EXPECT_EQ(answer->savings, (MemorySavings{2, {""}}));
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100", "derive 2", "plan for 100", "derive 1 recompute",
                              "plan for 100", "derive 2 recompute", "plan for 100", "schedule step: two, recomputed",
                              "complete two, recomputed"}));
    // Where memory decides, 4 micro-batches may be faster than 2; with recomputation they are not.
    world.make_plan = planner_where(true);
    ASSERT_TRUE(world.run({}, 8));
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "derive 4"), 1);
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "derive 8"), 1);
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "derive 8 recompute"), 0);
}

/// Ten blocks with ten bytes of activations each that may be computed again, a tenth of a second each.
TEST(PlanSearch, AsFewBlocksAreRecomputedAsTheLimitDemands) {
    World world;
    for (int i = 0; i < 10; ++i)
        world.blocks.push_back("block[" + std::to_string(i) + "]");
    world.make_plan = [](const MemorySavings &savings, double limit) {
        const bool all = savings.recompute == std::vector<std::string>{""};
        const double recomputed = all ? 10 : static_cast<double>(savings.recompute.size());
        const double bytes = 150 - 10 * recomputed;
        return bytes <= limit ? priced(all ? "all" : "some", 2 + 0.1 * recomputed, bytes) : nothing_fits(bytes);
    };
    world.figures["some"] = {2, 60};
    world.figures["all"] = {3, 50};
    world.asked_limit = 85;
    std::optional<Answer> answer = world.run({}, 1);
    ASSERT_TRUE(answer);
    const std::vector<std::string> first(world.blocks.begin(), world.blocks.begin() + 7);
    EXPECT_EQ(answer->savings, (MemorySavings{1, first}));
    EXPECT_LE(std::count(world.log.begin(), world.log.end(), "plan for 85"), 5);

    world.figures["some"] = {2, 90}; // more than estimated: so one block more is computed again, and then all
    answer = world.run({}, 1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->savings, (MemorySavings{1, {""}}));
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "derive 1 recompute 8"), 1);
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "smallest plan"), 0);

    world.asked_limit = 55; // all are needed
    answer = world.run({}, 1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->savings, (MemorySavings{1, {""}}));

    world.asked_limit = 85; // the user has chosen
    answer = world.run({1, {""}}, 1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->savings, (MemorySavings{1, {""}}));
}

TEST(PlanSearch, WhatWasGivenUpForAFasterPlanIsPlannedWhereThatOneGetsSlower) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double limit) {
        if (savings == MemorySavings{2, {}})
            return limit == 100 ? priced("two", 1.0, 95) : priced("two, smaller", 1.8, 70);
        if (savings == MemorySavings{1, {""}})
            return priced("recomputed", 1.4, 60);
        if (savings == MemorySavings{2, {""}})
            return priced("two, recomputed", 1.6, 50);
        return nothing_fits(300);
    };
    world.figures["two"] = {0.9, 125};
    world.figures["recomputed"] = {1.3, 80};
    const std::optional<Answer> answer = world.run({}, 2);
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "recomputed");
    EXPECT_EQ(answer->savings, (MemorySavings{1, {""}}));
}

TEST(PlanSearch, UnderATighterLimitTheSavingsGoOnWhereTheyWere) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double limit) {
        if (savings == MemorySavings{1, {""}} && limit == 100)
            return priced("recomputed", 1.0, 95);
        if (savings == MemorySavings{2, {}})
            return priced("two", 2.0, 70);
        return nothing_fits(300);
    };
    world.figures["recomputed"] = {0.9, 125};
    world.figures["two"] = {1.9, 90};
    const std::optional<Answer> answer = world.run({}, 2);
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "two");
    const auto tighter = std::find(world.log.begin(), world.log.end(), "plan for 80");
    EXPECT_EQ(std::count(tighter, world.log.end(), "derive 1 recompute"), 0);
}

TEST(PlanSearch, WhereAProgramBreaksTheLimitMoreMicroBatchesAreTried) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double limit) {
        if (savings == MemorySavings{2, {}})
            return limit == 100 ? priced("two", 1.0, 95) : priced("two, smaller", 1.4, 70);
        if (savings == MemorySavings{4, {}})
            return priced("four", 1.2, 60);
        return nothing_fits(300);
    };
    world.figures["two"] = {0.9, 125};
    world.figures["four"] = {1.1, 80};
    const std::optional<Answer> answer = world.run({}, 4);
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "four") << "though two fitted by its estimate, and memory did not decide";
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "schedule step: two, smaller"), 0);
}

TEST(PlanSearch, AfterAProgramBreaksTheLimitOtherSavingsMayBeFaster) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double limit) {
        if (savings == MemorySavings{2, {}})
            return limit == 100 ? priced("two", 1.0, 95) : priced("two, smaller", 1.4, 70);
        if (savings == MemorySavings{2, {""}})
            return priced("two, recomputed", 1.2, 60);
        return nothing_fits(300);
    };
    world.figures["two"] = {0.9, 125};
    world.figures["two, recomputed"] = {1.1, 80};
    const std::optional<Answer> answer = world.run({}, 2);
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "two, recomputed");
    EXPECT_EQ(answer->savings, (MemorySavings{2, {""}}));
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "plan for 80"), 1) << "of two micro-batches alone";
}

TEST(PlanSearch, WhereNothingFitsTheProgramOfTheSmallestPlanSaysHowMuchIsMissing) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double) {
        return nothing_fits(savings == MemorySavings{2, {""}} ? 150 : 300);
    };
    world.smallest_plan = [](const MemorySavings &savings) {
        return savings == MemorySavings{2, {""}} ? priced("small", 9, 160) : priced("larger", 9, 310);
    };
    world.figures["small"] = {9, 130};
    const std::optional<Answer> answer = world.run({}, 2);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, plan::does_not_fit(cost::Bytes(130), cost::Bytes(100), plan::Least::found));
    EXPECT_FALSE(answer->schedule);
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "smallest plan"), 1) << "the bounds of others are larger";
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "schedule program: small"), 1);
}

TEST(PlanSearch, WhereTheStateAloneIsTooLargeNoSavingsAreTried) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &, double) {
        plan::Plan plan = nothing_fits(300);
        plan.state_is_too_large = true;
        return plan;
    };
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, "nothing fits");
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100"}));
}

/// Pipelines share what the rules leave whole, unless there are more variables than all ranks have memory.
TEST(PlanSearch, PipelinesAreTriedWhereTheirRanksMayHoldTheVariables) {
    World world;
    world.asked_limit = 100;
    world.pipelines = true;
    world.make_plan = [](const MemorySavings &, double) {
        plan::Plan plan = nothing_fits(300);
        plan.state_is_too_large = true;
        return plan;
    };
    world.bytes_of_variables = 200;
    ASSERT_TRUE(world.run());
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100", "derive 1", "plan for 100"}));
    world.bytes_of_variables = 204;
    ASSERT_TRUE(world.run());
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100"}));
}

/// No mesh has to be looked at where all ranks together cannot hold the activations.
TEST(PlanSearch, SavingsThatLeaveTooMuchAreNotPlanned) {
    World world;
    world.asked_limit = 100;
    world.bytes_of_activations = 800;
    world.figures["a"] = {1};
    world.make_plan = [](const MemorySavings &savings, double) {
        return savings.microbatches < 4 ? nothing_fits(600) : priced("a", 1);
    };
    const std::optional<Answer> answer = world.run({}, /*batch=*/8);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->savings.microbatches, 4);
    EXPECT_EQ(std::vector(world.log.begin(), world.log.begin() + 5),
              (Log{"derive 1", "plan for 100", "derive 2", "derive 4", "plan for 100"}));
}

/// A fifth of the time is communication.
plan::Plan communicating(const std::string &name, double seconds) {
    plan::Plan plan = priced(name, 0.8 * seconds);
    auto cost = std::make_shared<cost::CostTable>(*plan.cost);
    cost->communication = cost::Seconds(0.2 * seconds);
    plan.cost = cost;
    return plan;
}

TEST(PlanSearch, CoversAreTakenWhereTheirStepIsFaster) {
    World world;
    world.may_cover = true;
    double of_covers = 0.9;
    world.make_plan = [&](const MemorySavings &savings, double) {
        return savings.cover == 2 ? communicating("b", of_covers) : communicating("a", 1.0);
    };
    world.figures = {{"a", {0.8}}, {"b", {0.7}}};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "b");
    EXPECT_EQ(answer->savings.cover, 2);
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 0", "schedule step: a", "derive 1 cover 2", "plan for 0",
                              "schedule step: b", "complete b"}));
    world.figures["b"].step = 0.81;
    ASSERT_EQ(name_of(world.run()->plan), "a");
    of_covers = 1.1; // its price alone says that it is slower
    ASSERT_EQ(name_of(world.run()->plan), "a");
    EXPECT_EQ(std::ranges::count(world.log, "schedule step: b"), 0);
    of_covers = 0.9;
    world.figures["b"].step = 0.7;
    world.has_halves = false; // the step is the same
    ASSERT_EQ(name_of(world.run()->plan), "a");
    EXPECT_EQ(std::ranges::count(world.log, "plan for 0"), 1);
    world.has_halves = true;
    MemorySavings pinned;
    pinned.cover = 2;
    ASSERT_TRUE(world.run(pinned));
    EXPECT_EQ(std::ranges::count(world.log, "derive 1 cover 2"), 1);
    EXPECT_EQ(std::ranges::count(world.log, "derive 1"), 0);
}

TEST(PlanSearch, CoversAreNotTriedWhereLittleIsCommunicated) {
    World world;
    world.may_cover = true;
    world.make_plan = planner_of({priced("a", 1.0)});
    world.figures["a"] = {0.9};
    ASSERT_TRUE(world.run());
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 0", "schedule step: a", "complete a"}));
}

TEST(PlanSearch, MicroBatchesAreNotDerivedWhereTheWholeBatchIsTooSlowAsAPipeline) {
    World world;
    world.pipelines = world.may_accumulate = true;
    world.make_plan = planner_of({priced("a", 1.0, 95)});
    world.figures["a"] = {0.9, 95};
    ASSERT_TRUE(world.run());
    EXPECT_EQ(std::ranges::count(world.log, "derive 4"), 1);
    world.pipelines_may_win = false;
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(std::ranges::count(world.log, "derive 4"), 0);
    ASSERT_TRUE(answer->plan.passed_pipelines);
    EXPECT_EQ(answer->plan.passed_pipelines->bound.value, 0.5);
}

TEST(PlanSearch, ABatchThatMustStayWholeIsNotDivided) {
    World world;
    world.asked_limit = 100;
    world.may_divide = false;
    world.can_derive = [](const MemorySavings &savings) { return savings.microbatches < 2; };
    world.make_plan = [](const MemorySavings &savings, double) {
        return savings.recompute.empty() ? nothing_fits(300) : priced("recomputed", 1.3, 90);
    };
    world.figures["recomputed"] = {1.3, 90};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "recomputed");
    EXPECT_EQ(world.log[2], "derive 1 recompute");
}

TEST(PlanSearch, WhereNoProgramFitsTheLeastArenaIsSaid) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 95)});
    world.figures["a"] = {0.9, 120};
    world.smallest_plan = [](const MemorySavings &) { return priced("b", 1.2, 70); };
    world.figures["b"] = {1.1, 130};
    const std::optional<Answer> answer = world.run({64, {""}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, plan::does_not_fit(cost::Bytes(120), cost::Bytes(100), plan::Least::found));
    EXPECT_FALSE(answer->schedule);
}

TEST(PlanSearch, AnEstimateAboveTheLimitMayBelongToAProgramThatFits) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 120), priced("b", 1.2, 110)});
    world.smallest_plan = [](const MemorySavings &) { return priced("smallest", 9, 105); };
    world.figures["a"] = {0.9, 110};
    world.figures["b"] = {1.1, 96};
    world.figures["smallest"] = {8, 92};
    const std::optional<Answer> answer = world.run({64, {""}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, "");
    EXPECT_EQ(name_of(answer->plan), "b") << "the fastest plan under 105 * 100 / 92";
    EXPECT_EQ(answer->plan.memory_limit_bytes, 100);
}

TEST(PlanSearch, TheSmallestProgramIsTakenWhereNoOtherFits) {
    World world;
    world.asked_limit = 100;
    world.make_plan = planner_of({priced("a", 1.0, 90), priced("b", 1.2, 85)});
    world.smallest_plan = [](const MemorySavings &) { return priced("smallest", 9, 84); };
    world.figures["a"] = {0.9, 130};
    world.figures["b"] = {1.1, 125};
    world.figures["smallest"] = {8, 98};
    const std::optional<Answer> answer = world.run({64, {""}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->plan.failure, "");
    EXPECT_EQ(name_of(answer->plan), "smallest");
    ASSERT_TRUE(answer->schedule);
    EXPECT_EQ(answer->schedule->memory_bytes, 98);
}

TEST(PlanSearch, APlanThatCostsALittleMoreAndIsSimulatedFasterIsChosen) {
    World world = comparing({{priced("b", 1.05), priced("c", 1.08)}, {}});
    world.figures["a"] = {0.90, 10};
    world.figures["b"] = {0.80, 10};
    world.figures["c"] = {0.85, 10};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "b");
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 0", "schedule step: a b c", "complete b"}))
        << "the schedule that was compared is kept";
    ASSERT_TRUE(answer->schedule && answer->schedule->overlap);
    EXPECT_EQ(answer->schedule->overlap->step.value, 0.80);
    ASSERT_TRUE(answer->plan.simulated);
    EXPECT_EQ(answer->plan.simulated->plans, 3);
    EXPECT_EQ(answer->plan.simulated->of_least_sum.value, 0.90);
}

TEST(PlanSearch, APlanThatIsHardlyFasterOrMuchDearerIsNot) {
    World world = comparing({{priced("b", 1.05), priced("much dearer", 1.2)}, {}});
    world.figures["a"] = {0.900, 10};
    world.figures["b"] = {0.895, 10};
    world.figures["much dearer"] = {0.1, 10};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
    EXPECT_EQ(world.log[2], "schedule step: a b");
}

TEST(PlanSearch, AFasterPlanWhoseProgramBreaksTheLimitIsNotChosen) {
    World world = comparing({{priced("b", 1.05)}, {}});
    world.asked_limit = 100;
    world.figures["a"] = {0.9, 90};
    world.figures["b"] = {0.8, 101};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
}

TEST(PlanSearch, APlanOfTheLiteratureIsComparedHoweverMuchItsSumIs) {
    World world = comparing({{}, {priced("pure batch", 1.7), priced("pure model", 1.9)}});
    world.figures["a"] = {0.90, 10};
    world.figures["pure batch"] = {0.895, 10};
    world.figures["pure model"] = {0.899, 10};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "pure batch") << "of the literature also one that is hardly faster";
    ASSERT_EQ(answer->plan.baselines.size(), 2U);
    EXPECT_EQ(answer->plan.baselines[1].step, cost::Seconds(0.899));
}

TEST(PlanSearch, WholeProgramsAreComparedWhereEvaluationNeedsMoreMemory) {
    World world = comparing({{priced("b", 1.05)}, {}});
    world.asked_limit = 100;
    world.figures["a"] = {0.9, 80, 95};
    world.figures["b"] = {0.8, 80, 120};
    const std::optional<Answer> answer = world.run();
    ASSERT_TRUE(answer);
    EXPECT_EQ(name_of(answer->plan), "a");
    EXPECT_EQ(world.log, (Log{"derive 1", "plan for 100", "schedule step: a b", "complete b", "plan for 100",
                              "schedule simulated program: a b", "complete a"}));
}

TEST(PlanSearch, WholeProgramsStartFromWhatWasAskedFor) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &savings, double limit) {
        if (savings == MemorySavings{} && limit == 100)
            return priced("a", 1.0, 70);
        if (savings == MemorySavings{1, {""}})
            return priced("recomputed", 1.3, 60);
        return nothing_fits(300);
    };
    world.figures["a"] = {0.9, 125};
    world.figures["recomputed"] = {1.2, 70, 110};
    const std::optional<Answer> answer = world.run({}, 1);
    ASSERT_TRUE(answer);
    // The step of "recomputed" fits, its program does not, and nothing takes less.
    EXPECT_EQ(answer->plan.failure, plan::does_not_fit(cost::Bytes(110), cost::Bytes(100), plan::Least::found));
    EXPECT_EQ(std::count(world.log.begin(), world.log.end(), "plan for 100"), 4) << "twice, with each saving";
}

TEST(PlanSearch, EndsWhereATrainingStepCannotBeDerived) {
    World world;
    world.asked_limit = 100;
    world.make_plan = [](const MemorySavings &, double) { return nothing_fits(300); };
    world.can_derive = [](const MemorySavings &savings) { return savings.microbatches < 2; };
    EXPECT_FALSE(world.run());
    EXPECT_EQ(world.log.back(), "derive 2");
    world.can_derive = [](const MemorySavings &) { return false; };
    EXPECT_FALSE(world.run());
    EXPECT_EQ(world.log, Log{"derive 1"});
}

TEST(PlanSearch, EndsWhereAPlanCannotBeScheduled) {
    World world = comparing({{priced("b", 1.05)}, {priced("pure batch", 1.7)}});
    for (const char *name : {"a", "b", "pure batch"})
        world.figures[name] = {0.9, 10};
    for (const char *name : {"a", "b", "pure batch"}) {
        world.unschedulable = name;
        EXPECT_FALSE(world.run()) << name;
    }
    world.unschedulable.clear();
    EXPECT_TRUE(world.run());
}

} // namespace planc::planning
