#include "emit/layers_alike/repeats.h"

#include <gtest/gtest.h>

namespace planc::emit {

namespace {

using Found = std::vector<Repeat>;

/// With so many lines for every element.
Found find(const std::vector<int> &elements, int lines = 4, const BlockScore &score = nullptr) {
    return find_repeats(elements, std::vector<int>(elements.size(), lines), score);
}

TEST(FindRepeats, NothingInWhatDoesNotRepeat) {
    EXPECT_EQ(find({}), Found());
    EXPECT_EQ(find({1}), Found());
    EXPECT_EQ(find({1, 2, 3, 4, 5, 6, 7, 8}), Found());
}

TEST(FindRepeats, NothingWhereRowsAndAFunctionWouldBeLonger) {
    EXPECT_EQ(find({1, 2, 1, 2}), Found());
    EXPECT_EQ(find({1, 1, 1, 1, 1, 1}, 1), Found()) << "rows are as long as what they replace";
    EXPECT_EQ(find({1, 1, 1, 1, 1, 1}, 4), (Found{{0, 1, 6}}));
}

TEST(FindRepeats, ABlockInTheMiddle) {
    EXPECT_EQ(find({9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 8}), (Found{{1, 3, 4}}));
}

TEST(FindRepeats, TheShortestBlock) {
    const std::vector<int> twelve{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
    EXPECT_EQ(find(twelve), (Found{{0, 2, 12}}));
}

TEST(FindRepeats, SeveralRunsInOrder) {
    EXPECT_EQ(find({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 5, 6, 7, 8, 9, 10}),
              (Found{{0, 4, 3}, {13, 6, 2}}));
}

TEST(FindRepeats, AnIncompleteBlockStaysOutside) {
    EXPECT_EQ(find({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2}), (Found{{0, 4, 3}}));
}

TEST(FindRepeats, TheShiftWithTheBestScore) {
    const auto begins_with_three = [](std::size_t begin, std::size_t) { return begin % 4 == 2 ? 1 : 0; };
    EXPECT_EQ(find({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2}, 4, begins_with_three), (Found{{2, 4, 3}}));
    // Not at the cost of a block.
    EXPECT_EQ(find({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, 4, begins_with_three), (Found{{0, 4, 3}}));
}

} // namespace

} // namespace planc::emit
