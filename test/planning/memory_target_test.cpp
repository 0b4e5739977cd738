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

TEST(MemoryTarget, EndsAfterSomeAttempts) {
    MemoryTarget target(1000);
    int attempts = 1;
    while (target.tighten(estimated_at(900), 1001 + attempts))
        ++attempts;
    EXPECT_EQ(attempts, 6);
}

} // namespace planc::planning
