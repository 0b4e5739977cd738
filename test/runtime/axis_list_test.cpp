// An AxisList is a vector of numbers, however many: held against one.
#include <planrt/axis_list.h>

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace planrt {

namespace {

void expect_equal(const AxisList &axes, const std::vector<int> &wanted) {
    ASSERT_EQ(axes.size(), wanted.size());
    EXPECT_EQ(axes.empty(), wanted.empty());
    EXPECT_TRUE(axes == AxisList(wanted));
    EXPECT_EQ(std::vector<int>(axes.begin(), axes.end()), wanted);
    if (!wanted.empty()) {
        EXPECT_EQ(axes.back(), wanted.back());
    }
}

} // namespace

TEST(AxisList, IsAVector) {
    std::mt19937 random(1);
    for (int sample = 0; sample < 200; ++sample) {
        AxisList axes;
        std::vector<int> wanted;
        for (int change = 0; change < 40; ++change) {
            const int number = static_cast<int>(random() % 100);
            switch (random() % 5) {
            case 0:
                if (!wanted.empty()) {
                    axes.pop_back();
                    wanted.pop_back();
                }
                break;
            case 1: {
                const auto first = static_cast<std::ptrdiff_t>(random() % (wanted.size() + 1));
                axes.erase(axes.begin() + first, axes.end());
                wanted.erase(wanted.begin() + first, wanted.end());
                break;
            }
            default: // lists grow
                for (int i = 0; i < 3; ++i) {
                    axes.push_back(number + i);
                    wanted.push_back(number + i);
                }
            }
            expect_equal(axes, wanted);
        }
    }
}

TEST(AxisList, IsCopiedAndMoved) {
    for (const std::vector<int> &numbers :
         {std::vector<int>{}, {3}, {0, 1, 2, 3}, {4, 3, 2, 1, 0}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
        const AxisList axes(numbers);
        AxisList copy = axes;
        expect_equal(copy, numbers);
        copy.push_back(7);
        EXPECT_FALSE(copy == axes);
        expect_equal(axes, numbers);
        AxisList assigned{9, 8, 7, 6, 5};
        assigned = axes;
        expect_equal(assigned, numbers);
        const AxisList moved = std::move(assigned);
        expect_equal(moved, numbers);
        AxisList taken{1};
        taken = AxisList(numbers);
        expect_equal(taken, numbers);
    }
}

} // namespace planrt
