// Random convolutions, their operands, and what the convolutions by taps make of them.
#pragma once

#include "kernels/libraries/blas.h"

#include <planrt/convolution.h>
#include <planrt/parallel.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace planrt {

using Random = std::mt19937_64;

inline std::int64_t uniform(Random &random, int low, int high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline std::string describe(const Convolution &conv) {
    std::string text = "batch " + std::to_string(conv.batch) + ", groups " + std::to_string(conv.groups) + ", " +
                       std::to_string(conv.in) + " -> " + std::to_string(conv.out);
    for (const WindowBlock &window : conv.windows)
        text += "; input " + std::to_string(window.input) + " output " + std::to_string(window.output) + " kernel " +
                std::to_string(window.kernel) + " stride " + std::to_string(window.stride) + " dilation " +
                std::to_string(window.dilation) + " padding " + std::to_string(window.padding);
    return text;
}

struct Sizes {
    std::size_t x;
    std::size_t y;
    std::size_t w;
    std::size_t packed;

    explicit Sizes(const Convolution &conv) {
        std::int64_t inputs = conv.batch;
        std::int64_t outputs = conv.batch;
        std::int64_t taps = 1;
        for (const WindowBlock &window : conv.windows) {
            inputs *= window.input;
            outputs *= window.output;
            taps *= window.kernel;
        }
        x = static_cast<std::size_t>(inputs * conv.groups * conv.in);
        y = static_cast<std::size_t>(outputs * conv.groups * conv.out);
        w = static_cast<std::size_t>(taps * conv.groups * conv.in * conv.out);
        packed = static_cast<std::size_t>(packed_weights(taps, conv.groups, conv.in, conv.out));
    }
};

template <class T> std::vector<T> numbers(std::size_t count, Random &random) {
    std::vector<T> values(count);
    for (T &value : values)
        value = static_cast<T>(uniform(random, -3, 3));
    return values;
}

template <class T> std::vector<T> no_numbers(std::size_t count) {
    return std::vector<T>(count, std::numeric_limits<T>::quiet_NaN());
}

/// Random operands and what the three kinds by taps make of them.
struct ByTaps {
    std::vector<float> x, w, dy, y, dx, dw;
};

inline ByTaps by_taps(const Convolution &conv, Random &random) {
    const Sizes sizes(conv);
    ByTaps all{numbers<float>(sizes.x, random), numbers<float>(sizes.w, random), numbers<float>(sizes.y, random),
               no_numbers<float>(sizes.y),      no_numbers<float>(sizes.x),      no_numbers<float>(sizes.w)};
    convolution(conv, all.x.data(), all.w.data(), all.y.data());
    convolution_input_gradient(conv, all.dy.data(), all.w.data(), all.dx.data());
    convolution_weight_gradient(conv, all.x.data(), all.dy.data(), all.dw.data());
    return all;
}

inline WindowBlock window(std::int64_t input, std::int64_t kernel, std::int64_t stride = 1, std::int64_t before = 0,
                          std::int64_t behind = 0, std::int64_t dilation = 1) {
    return {input, (input + before + behind - (kernel - 1) * dilation - 1) / stride + 1, kernel, stride, dilation,
            before};
}

/// A test that multiplies on one thread, by its own numbers.
class Convolutions : public testing::Test {
  protected:
    static void SetUpTestSuite() { load_blas(1); }
    void TearDown() override { set_thread_count(1); }
    Random random_{1};
};

} // namespace planrt
