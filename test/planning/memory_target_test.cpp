#include "planning/memory_target.h"

#include <gtest/gtest.h>

namespace planc::planning {

namespace {

plan::Plan estimated_at(double bytes) {
    auto cost = std::make_shared<cost::CostTable>();
    cost->memory.activations = cost::Bytes(bytes);
    plan::Plan plan;
    plan.cost = cost;
    return plan;
}

plan::Plan too_large(double least) {
    plan::Plan plan;
    plan.failure = "no plan fits";
    plan.out_of_memory = true;
    plan.least_memory = cost::Bytes(least);
    return plan;
}

} // namespace

TEST(MemoryTarget, IsTightenedByAsMuchAsTheArenaIsTooLarge) {
    MemoryTarget target(1000);
    EXPECT_EQ(target.planned_for(), 1000);
    EXPECT_TRUE(target.keeps(1000));
    EXPECT_FALSE(target.keeps(1001));
    EXPECT_TRUE(target.tighten(estimated_at(900), 1250));
    EXPECT_DOUBLE_EQ(target.planned_for(), 800);
    EXPECT_TRUE(target.tighten(estimated_at(790), 1100));
    EXPECT_DOUBLE_EQ(target.planned_for(), 800 * 1000 / 1100.0);
    EXPECT_TRUE(target.keeps(1000)) << "what was asked for stays";
}

TEST(MemoryTarget, OfTheSamePlanAgainTheEstimateCounts) {
    MemoryTarget target(1000);
    EXPECT_TRUE(target.tighten(estimated_at(500), 1250));
    EXPECT_DOUBLE_EQ(target.planned_for(), 800) << "the estimate is below that: the same plan comes again";
    EXPECT_TRUE(target.tighten(estimated_at(500), 1250));
    EXPECT_DOUBLE_EQ(target.planned_for(), 400);
}

TEST(MemoryTarget, TheLeastIsTriedOnce) {
    MemoryTarget target(1000);
    EXPECT_TRUE(target.tighten(estimated_at(900), 2000));
    EXPECT_TRUE(target.loosen_to_least(too_large(700)));
    EXPECT_DOUBLE_EQ(target.planned_for(), 707);
    EXPECT_FALSE(target.tighten(estimated_at(705), 1200));
    EXPECT_EQ(target.failure(estimated_at(705)),
              plan::does_not_fit(cost::Bytes(1200), cost::Bytes(1000), plan::Least::found))
        << "the least arena, not the least estimate";
}

TEST(MemoryTarget, GrowsWhereTheLeastIsABoundThatNoPlanReaches) {
    MemoryTarget target(1000);
    EXPECT_TRUE(target.loosen_to_least(too_large(1400)));
    EXPECT_TRUE(target.loosen_to_least(too_large(1400)));
    EXPECT_DOUBLE_EQ(target.planned_for(), 1.01 * 1.02 * 1400);
}

TEST(MemoryTarget, EndsWhereTheLeastIsFarAboveTheLimit) {
    EXPECT_FALSE(MemoryTarget(1000).loosen_to_least(too_large(1600)));
}

TEST(MemoryTarget, EndsWhereTheStateIsTooLarge) {
    MemoryTarget target(1000);
    plan::Plan plan = too_large(1100);
    EXPECT_TRUE(target.loosen_to_least(plan));
    plan.state_is_too_large = true;
    EXPECT_FALSE(target.loosen_to_least(plan));
    plan.least_memory = cost::Bytes(990); // above a tightened limit only
    EXPECT_TRUE(target.loosen_to_least(plan));
}

TEST(MemoryTarget, EndsAfterSomeAttempts) {
    MemoryTarget target(1000);
    int attempts = 1;
    while (target.tighten(estimated_at(900), 1001 + attempts))
        ++attempts;
    EXPECT_EQ(attempts, 6);
}

} // namespace planc::planning
