#include "planning/memory_savings.h"

#include <gtest/gtest.h>

namespace planc::planning {

using All = std::vector<MemorySavings>;

TEST(FurtherSavings, TheLeastCostlyComeFirst) {
    EXPECT_EQ(further_savings({}, 8), (All{{2, {}}, {4, {}}, {8, {}}, {1, {""}}, {2, {""}}, {4, {""}}, {8, {""}}}));
}

TEST(FurtherSavings, NoMoreMicroBatchesThanSamples) {
    EXPECT_EQ(further_savings({}, 3), (All{{2, {}}, {1, {""}}, {2, {""}}}));
    EXPECT_EQ(further_savings({}, 1), (All{{1, {""}}}));
}

TEST(FurtherSavings, KeepWhatIsPinned) {
    EXPECT_EQ(further_savings({4, {}}, 64), (All{{4, {""}}}));
    EXPECT_EQ(further_savings({1, {"block*"}}, 4), (All{{2, {"block*"}}, {4, {"block*"}}}));
    EXPECT_EQ(further_savings({4, {"block*"}}, 64), All{});
}

} // namespace planc::planning
