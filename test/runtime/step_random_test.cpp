// planrt/random.h: the numbers that steps draw.
#include <planrt/random.h>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace planrt {
namespace {

TEST(StepRandom, IsAFunctionOfEachOfItsArguments) {
    const Key key = key_of(1, "h1.dropout", 3);
    const float number = uniform(key, 2, 7);
    EXPECT_EQ(number, uniform(key_of(1, "h1.dropout", 3), 2, 7));
    const std::set<float> numbers = {number,
                                     uniform(key_of(2, "h1.dropout", 3), 2, 7),
                                     uniform(key_of(1, "h2.dropout", 3), 2, 7),
                                     uniform(key_of(1, "h1.dropout", 4), 2, 7),
                                     uniform(key, 3, 7),
                                     uniform(key, 7, 2),
                                     uniform(key, 2, 8),
                                     uniform(key, 2, 7 + (std::int64_t{1} << 32))};
    EXPECT_EQ(numbers.size(), 8U);
}

// Random123's known answers again: seed, name and step as they go into the counter and the key.
TEST(StepRandom, IsPhilox) {
    const std::uint64_t published_key = 0x299f31d0a4093822;
    const Key key = key_of(published_key ^ hash_of("name"), "name", 0x13198a2e);
    constexpr std::uint32_t published[] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    constexpr std::int64_t counter = std::int64_t{0x03707344} << 32 | 0x243f6a88;
    for (std::int64_t place = 0; place < 4; ++place)
        EXPECT_EQ(uniform(key, 0x85a308d3, counter / 16 * 64 + counter % 16 + 16 * place),
                  static_cast<float>(published[place] >> 8) / 16777216);
    EXPECT_EQ(uniform(key_of(hash_of("h"), "h", 0), 0, 0), static_cast<float>(0x6627e8 / 16777216.0));
}

TEST(StepRandom, ManyNumbersAtOnceAreTheSame) {
    const Key key = key_of(1, "h1.dropout", 3);
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{7}, std::int64_t{64}, (std::int64_t{1} << 34) - 5})
        for (const std::int64_t count : {0, 1, 16, 57, 64, 200}) {
            std::vector<float> numbers(static_cast<std::size_t>(count) + 1, 2.0F);
            fill_uniform(key, 5, first, count, numbers.data());
            for (std::int64_t i = 0; i < count; ++i)
                ASSERT_EQ(numbers[static_cast<std::size_t>(i)], uniform(key, 5, first + i)) << first << " + " << i;
            EXPECT_EQ(numbers.back(), 2.0F);
        }
}

TEST(StepRandom, FnvOfPublishedVectors) { // Fowler, Noll, Vo: test_fnv.c
    EXPECT_EQ(hash_of(""), 0xcbf29ce484222325U);
    EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cU);
    EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8U);
}

TEST(StepRandom, FillsItsRangeEvenly) {
    const Key key = key_of(5, "x", 0);
    constexpr int count = 160000;
    std::vector<int> hits(16);
    int below_tenth = 0;
    int pairs_below_tenth = 0; // of neighbours: independent
    for (int i = 0; i < count; ++i) {
        const float number = uniform(key, i / 400, i % 400);
        ASSERT_GE(number, 0.0F);
        ASSERT_LT(number, 1.0F);
        ++hits[static_cast<std::size_t>(number * 16)];
        below_tenth += number < 0.1F ? 1 : 0;
        pairs_below_tenth += number < 0.1F && uniform(key, i / 400, i % 400 + 1) < 0.1F ? 1 : 0;
    }
    for (const int hit : hits)
        EXPECT_NEAR(hit, count / 16, 500); // five standard deviations
    EXPECT_NEAR(below_tenth, count / 10, 600);
    EXPECT_NEAR(pairs_below_tenth, count / 100, 200);
}

} // namespace
} // namespace planrt
