// Pools against their definition, element by element, on blocks with any padding.
#include <planrt/parallel.h>
#include <planrt/pooling.h>

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace planrt {
namespace {

using Random = std::mt19937_64;

std::int64_t uniform(Random &random, int low, int high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

std::size_t elements(const Pool &pool, std::int64_t WindowBlock::*extent) {
    std::int64_t count = pool.batch * pool.channels;
    for (const WindowBlock &window : pool.windows)
        count *= window.*extent;
    return static_cast<std::size_t>(count);
}

/// Calls body(x element, y element, number within the window) for every element of every window, in the windows' order.
template <class Body> void for_each_element(const Pool &pool, const Body &body) {
    const auto &[a, b, c] = pool.windows;
    const auto input = [](const WindowBlock &window, std::int64_t position, std::int64_t tap) {
        const std::int64_t row = position * window.stride - window.padding + tap * window.dilation;
        return row >= 0 && row < window.input ? row : -1;
    };
    for (std::int64_t n = 0; n < pool.batch; ++n)
        for (std::int64_t i = 0; i < a.output; ++i)
            for (std::int64_t j = 0; j < b.output; ++j)
                for (std::int64_t k = 0; k < c.output; ++k)
                    for (std::int64_t tap = 0; tap < a.kernel * b.kernel * c.kernel; ++tap) {
                        const std::int64_t p = input(a, i, tap / (b.kernel * c.kernel));
                        const std::int64_t q = input(b, j, tap / c.kernel % b.kernel);
                        const std::int64_t r = input(c, k, tap % c.kernel);
                        for (std::int64_t channel = 0; p >= 0 && q >= 0 && r >= 0 && channel < pool.channels; ++channel)
                            body(static_cast<std::size_t>(
                                     (((n * a.input + p) * b.input + q) * c.input + r) * pool.channels + channel),
                                 static_cast<std::size_t>(
                                     (((n * a.output + i) * b.output + j) * c.output + k) * pool.channels + channel),
                                 static_cast<std::int32_t>(tap));
                    }
}

template <class T> void expect_defined(const Pool &pool, Random &random) {
    const std::size_t inputs = elements(pool, &WindowBlock::input);
    const std::size_t outputs = elements(pool, &WindowBlock::output);
    std::vector<T> x(inputs);
    std::vector<T> dy(outputs);
    for (std::vector<T> *values : {&x, &dy})
        for (T &value : *values)
            value = static_cast<T>(uniform(random, -4, 4)); // with equal ones
    std::vector<T> largest(outputs, -std::numeric_limits<T>::infinity());
    std::vector<std::int32_t> numbers(outputs, -1);
    std::vector<T> sums(outputs, 0);
    std::vector<T> sum_gradient(inputs, 0);
    for_each_element(pool, [&](std::size_t from, std::size_t to, std::int32_t number) {
        if (numbers[to] < 0 || x[from] > largest[to]) {
            largest[to] = x[from];
            numbers[to] = number;
        }
        sums[to] += x[from];
        sum_gradient[from] += dy[to];
    });
    std::vector<T> max_gradient(inputs, 0);
    for_each_element(pool, [&](std::size_t from, std::size_t to, std::int32_t number) {
        max_gradient[from] += number == numbers[to] ? dy[to] : 0;
    });

    std::vector<T> got(outputs, 77);
    std::vector<std::int32_t> got_numbers(outputs, 77);
    std::vector<T> got_gradient(inputs, 77);
    max_pool(pool, x.data(), got.data());
    EXPECT_EQ(got, largest);
    got.assign(outputs, 77);
    max_pool(pool, x.data(), got.data(), got_numbers.data());
    EXPECT_EQ(got, largest);
    EXPECT_EQ(got_numbers, numbers);
    max_pool_gradient(pool, dy.data(), got_numbers.data(), got_gradient.data());
    EXPECT_EQ(got_gradient, max_gradient);
    sum_pool(pool, x.data(), got.data());
    EXPECT_EQ(got, sums);
    sum_pool_gradient(pool, dy.data(), got_gradient.data());
    EXPECT_EQ(got_gradient, sum_gradient);
}

} // namespace

TEST(Pools, AreTheirDefinition) {
    Random random(1);
    for (int trial = 0; trial < 300 && !testing::Test::HasFailure(); ++trial) {
        Pool pool{uniform(random, 1, 3), uniform(random, 1, 20), {}};
        const std::int64_t dimensions = uniform(random, 1, 3);
        for (std::int64_t d = 0; d < dimensions; ++d)
            pool.windows[d] = {uniform(random, 0, 9), uniform(random, 0, 6), uniform(random, 1, 4),
                               uniform(random, 1, 4), uniform(random, 1, 2), uniform(random, -2, 4)};
        expect_defined<float>(pool, random);
        expect_defined<double>(pool, random);
    }
}

/// Pools of 2 x 2 as networks have them, with channels that fill vectors and such that do not.
TEST(Pools, TileTheInput) {
    Random random(3);
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (std::int64_t channels = 1; channels <= 20; ++channels) {
            expect_defined<float>({40, channels, {{8, 4, 2, 2, 1, 0}, {14, 7, 2, 2, 1, 0}}}, random);
            expect_defined<double>({2, channels, {{40, 20, 4, 4, 1, 0}}}, random);
            expect_defined<float>({3, channels, {{3, 3, 1, 1, 1, 0}, {4, 2, 2, 2, 1, 0}, {18, 9, 2, 2, 1, 0}}}, random);
            expect_defined<float>({3, channels, {{9, 4, 3, 2, 1, 0}, {13, 6, 3, 2, 1, 0}}}, random);
        }
    }
    set_thread_count(1);
}

TEST(Pools, RunOnThreads) {
    Random random(2);
    set_thread_count(3);
    expect_defined<float>({5, 67, {{32, 16, 3, 2, 1, 1}, {31, 16, 3, 2, 1, 1}}}, random);
    set_thread_count(1);
}

/// The first element of a window is its maximum if all are -∞.
TEST(Pools, TheLeastNumberIsANumber) {
    const std::vector<float> x(4, -std::numeric_limits<float>::infinity());
    std::vector<float> y(2);
    std::vector<std::int32_t> numbers(2);
    max_pool(Pool{1, 1, {{4, 2, 2, 2, 1, 0}}}, x.data(), y.data(), numbers.data());
    EXPECT_EQ(numbers, (std::vector<std::int32_t>{0, 0}));
}

/// Wherever it stands in the window, in training and in prediction: divergence stays seen.
TEST(Pools, WhatIsNoNumberIsTheMaximum) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    for (int at = 0; at < 3; ++at) {
        std::vector<float> x{1, 2, 3};
        x[static_cast<std::size_t>(at)] = none;
        const Pool pool{1, 1, {{3, 1, 3, 3, 1, 0}}};
        float y = 0;
        float with_number = 0;
        std::int32_t number = -1;
        max_pool(pool, x.data(), &y);
        max_pool(pool, x.data(), &with_number, &number);
        EXPECT_NE(y, y) << at;
        EXPECT_NE(with_number, with_number) << at;
        EXPECT_EQ(number, at);
    }
}

} // namespace planrt
