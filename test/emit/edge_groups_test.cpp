#include "emit/functions/edge_groups.h"

#include <gtest/gtest.h>

namespace planc::emit {

namespace {

using Kind = ir::EdgeStep::Kind;

ir::EdgeStep step(Kind kind, std::vector<int> arguments = {}) {
    ir::EdgeStep result;
    result.kind = kind;
    result.arguments = std::move(arguments);
    return result;
}

std::vector<std::vector<int>> numbers(const std::vector<EdgeGroup> &groups) {
    std::vector<std::vector<int>> result;
    for (const EdgeGroup &group : groups)
        result.push_back(group.steps);
    return result;
}

using Numbers = std::vector<std::vector<int>>;

// exp(x) * sum over f of (y * z), all times 2: the sum comes first, all others are one group.
TEST(EdgeGroups, ASumThatNeedsNoneComesFirst) {
    const std::vector<ir::EdgeStep> steps = {
        step(Kind::operand), step(Kind::call, {0}),       step(Kind::operand),
        step(Kind::operand), step(Kind::product, {2, 3}), step(Kind::sum, {4}),
        step(Kind::number),  step(Kind::product, {1, 5}), step(Kind::product, {7, 6}),
    };
    const std::vector<EdgeGroup> groups = groups_of_steps(steps, {1, 5, 7, 8});
    EXPECT_EQ(numbers(groups), (Numbers{{5}, {1, 7, 8}}));
    EXPECT_TRUE(groups[0].sums);
    EXPECT_FALSE(groups[1].sums);
    EXPECT_EQ(steps_to_keep(steps, groups), (std::set<int>{5}));
}

// exp(sum over f of (exp(x) * y)): what the sum uses is computed before it and kept.
TEST(EdgeGroups, ASumThatNeedsOthersComesBetweenThem) {
    const std::vector<ir::EdgeStep> steps = {
        step(Kind::operand),         step(Kind::call, {0}), step(Kind::operand),   step(Kind::call, {2}),
        step(Kind::product, {1, 3}), step(Kind::sum, {4}),  step(Kind::call, {5}),
    };
    const std::vector<EdgeGroup> groups = groups_of_steps(steps, {1, 5, 6});
    EXPECT_EQ(numbers(groups), (Numbers{{1}, {5}, {6}}));
    EXPECT_EQ(steps_to_keep(steps, groups), (std::set<int>{1, 5}));
}

// x * w, reduced over loops inside: they use what the group computed.
TEST(EdgeGroups, LoopsInsideUseWhatIsKept) {
    const std::vector<ir::EdgeStep> steps = {
        step(Kind::operand), step(Kind::call, {0}),       step(Kind::call, {1}),
        step(Kind::operand), step(Kind::product, {2, 3}),
    };
    const std::vector<EdgeGroup> groups = groups_of_steps(steps, {1, 2});
    EXPECT_EQ(numbers(groups), (Numbers{{1, 2}}));
    EXPECT_EQ(steps_to_keep(steps, groups), (std::set<int>{2}));
}

} // namespace

} // namespace planc::emit
