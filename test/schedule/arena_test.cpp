#include "schedule/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace planc::schedule {

namespace {

TEST(Arena, TakesPlacesThatAreFreeAgain) {
    const Placed placed = place({{256, 0, 2}, {256, 1, 3}, {256, 3, 4}});
    EXPECT_EQ(placed.offsets, (std::vector<std::int64_t>{0, 256, 0}));
    EXPECT_EQ(placed.bytes, 512);
}

TEST(Arena, EndsIncluded) {
    const Placed placed = place({{64, 0, 1}, {64, 1, 2}});
    EXPECT_NE(placed.offsets[0], placed.offsets[1]);
}

TEST(Arena, FillsGaps) {
    // The small one fits between the large ones that live with it.
    const Placed placed = place({{1024, 0, 9}, {512, 0, 2}, {256, 3, 5}, {512, 6, 9}, {128, 3, 5}});
    EXPECT_EQ(placed.bytes, 1024 + 512);
}

TEST(Arena, EmptyBuffersNeedNothing) {
    const Placed placed = place({{0, 0, 5}, {64, 0, 5}});
    EXPECT_EQ(placed.bytes, 64);
}

TEST(Arena, EndsWhereItsLastBufferEnds) {
    EXPECT_EQ(place({{100, 0, 1}, {40, 0, 1}}).bytes, 128 + 40);
}

class RandomLifetimes : public testing::TestWithParam<unsigned> {};

TEST_P(RandomLifetimes, NeverOverlapAndStayAligned) {
    std::mt19937 random(GetParam());
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    std::vector<Lifetime> buffers;
    for (int i = draw(1, 80); i > 0; --i) {
        const int begin = draw(0, 40);
        buffers.push_back({draw(0, 5000), begin, begin + draw(0, 10)});
    }
    const Placed placed = place(buffers);
    std::int64_t needed = 0; // at the busiest moment
    for (int step = 0; step <= 50; ++step) {
        std::int64_t live = 0;
        for (const Lifetime &buffer : buffers)
            live += buffer.begin <= step && step <= buffer.end ? aligned(buffer.bytes) : 0;
        needed = std::max(needed, live);
    }
    EXPECT_GT(placed.bytes + alignment, needed); // the last buffer is not rounded up
    EXPECT_LE(placed.bytes, 2 * needed) << "seed " << GetParam();
    for (std::size_t a = 0; a < buffers.size(); ++a) {
        EXPECT_EQ(placed.offsets[a] % alignment, 0);
        EXPECT_LE(placed.offsets[a] + buffers[a].bytes, placed.bytes);
        for (std::size_t b = 0; b < a; ++b) {
            const bool together = buffers[a].begin <= buffers[b].end && buffers[b].begin <= buffers[a].end;
            const bool apart = placed.offsets[a] + buffers[a].bytes <= placed.offsets[b] ||
                               placed.offsets[b] + buffers[b].bytes <= placed.offsets[a];
            EXPECT_TRUE(!together || apart) << "seed " << GetParam() << ", buffers " << b << " and " << a;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLifetimes, testing::Range(1U, 101U));

} // namespace

} // namespace planc::schedule
