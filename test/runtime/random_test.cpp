#include "random/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace planrt {
namespace {

// Random123's file kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, PublishedKnownAnswers) {
    EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, FillsAreTheSingleNumbersWhereverTheyBegin) {
    const RandomStream stream = random_stream(7, "h1.w");
    for (std::uint64_t begin = 0; begin < 9; ++begin) {
        std::vector<double> uniforms(11);
        std::vector<double> normals(11);
        fill_uniform(stream, begin, -1, 3, uniforms.data(), uniforms.size());
        fill_normal(stream, begin, 2, 0.5, normals.data(), normals.size());
        for (std::uint64_t i = 0; i < 11; ++i) {
            EXPECT_EQ(uniforms[i], uniform(stream, begin + i) * 4 - 1);
            EXPECT_EQ(normals[i], normal(stream, begin + i) * 0.5 + 2);
        }
    }
}

TEST(Random, SeedsAndNamesGiveOtherNumbers) {
    const double number = uniform(random_stream(1, "h1.w"), 5);
    EXPECT_NE(number, uniform(random_stream(2, "h1.w"), 5));
    EXPECT_NE(number, uniform(random_stream(1, "h2.w"), 5));
    EXPECT_NE(number, uniform(random_stream(1, "h1.w"), 6));
    EXPECT_EQ(number, uniform(random_stream(1, "h1.w"), 5));
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
    const RandomStream stream = random_stream(3, "moments");
    constexpr int count = 100000;
    std::vector<double> numbers(count);
    fill_normal(stream, 0, 0, 1, numbers.data(), numbers.size());
    double sum = 0;
    double squares = 0;
    for (const double number : numbers) {
        sum += number;
        squares += number * number;
    }
    EXPECT_NEAR(sum / count, 0, 0.02);
    EXPECT_NEAR(squares / count, 1, 0.02);
    fill_uniform(stream, 0, 0, 1, numbers.data(), numbers.size());
    sum = 0;
    for (const double number : numbers) {
        EXPECT_GT(number, 0);
        EXPECT_LT(number, 1);
        sum += number;
    }
    EXPECT_NEAR(sum / count, 0.5, 0.01);
}

TEST(Random, BelowCoversItsRangeEvenly) {
    std::vector<int> hits(7);
    for (std::uint64_t i = 0; i < 70000; ++i)
        ++hits.at(random_below(random_stream(1, "below"), i, 7));
    for (const int hit : hits)
        EXPECT_NEAR(hit, 10000, 500);
}

} // namespace
} // namespace planrt
