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

TEST(MemorySavings, AreNamedInShort) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(words({}), Words{});
    EXPECT_EQ(words({4, {""}}),
              (Words{"gradients summed over 4 micro-batches", "activations of each block computed again"}));
    EXPECT_EQ(words({1, {"a", "b"}}), Words{"activations of a, b computed again"});
    EXPECT_EQ(words({1, {"a[0]", "a[1]", "a[2]", "a[3]"}}),
              Words{"activations of 4 blocks (a[0], …, a[3]) computed again"});
    EXPECT_EQ(words({1, {"", "a", "b", "c"}}), Words{"activations of each block computed again"});
    EXPECT_EQ(words({1, {"a", "b*", "c", "d"}}), Words{"activations of a, b*, c, d computed again"});
}

} // namespace planc::planning
