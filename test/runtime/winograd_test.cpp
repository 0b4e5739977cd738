// Convolutions by Winograd's algorithm against those by taps.
#include "convolutions.h"

#include <planrt/winograd.h>

#include <algorithm>
#include <cmath>

namespace planrt {
namespace {

/// The largest difference. No element may be missing.
double difference(const std::vector<float> &got, const std::vector<float> &expected) {
    double largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_FALSE(std::isnan(got[i])) << i;
        largest = std::max(largest, std::abs(static_cast<double>(got[i]) - expected[i]));
    }
    return largest;
}

/// All three kinds by Winograd's algorithm against those by taps, up to `tolerance` times the number of summands: the
/// halves and quarters of windows of 3 are exact.
template <int side> void expect_winograd(const Convolution &conv, Random &random, double tolerance) {
    SCOPED_TRACE(describe(conv));
    const Sizes sizes(conv);
    const auto [x, w, dy, y, dx, dw] = by_taps(conv, random);
    const auto summands = [&](std::int64_t channels) { return static_cast<double>(side * side * channels); };

    for (const auto kind :
         {ConvolutionKind::forward, ConvolutionKind::input_gradient, ConvolutionKind::weight_gradient})
        winograd_prepare<side>(kind, conv);
    const auto elements = static_cast<std::size_t>(winograd_weights(side, conv.groups, conv.in, conv.out));
    auto got_y = no_numbers<float>(sizes.y);
    auto packed = no_numbers<float>(elements);
    winograd_pack<side>(ConvolutionKind::forward, conv, w.data(), packed.data());
    winograd_convolution<side>(conv, x.data(), packed.data(), got_y.data());
    EXPECT_LE(difference(got_y, y), tolerance * summands(conv.in));
    auto got_dx = no_numbers<float>(sizes.x);
    winograd_pack<side>(ConvolutionKind::input_gradient, conv, w.data(), packed.data());
    winograd_convolution_input_gradient<side>(conv, dy.data(), packed.data(), got_dx.data());
    EXPECT_LE(difference(got_dx, dx), tolerance * summands(conv.out));
    auto got_dw = no_numbers<float>(sizes.w);
    packed = no_numbers<float>(elements);
    winograd_convolution_weight_gradient<side>(conv, x.data(), dy.data(), packed.data());
    winograd_unpack<side>(conv, packed.data(), got_dw.data());
    const double positions = static_cast<double>(conv.batch * conv.windows[0].output * conv.windows[1].output);
    EXPECT_LE(difference(got_dw, dw), tolerance * (positions + 4));
}

constexpr double thirds = 1e-5; ///< of numbers up to 3 and a window of 5, the tolerance

class Winograd : public Convolutions {
  protected:
    Convolution random_convolution(std::int64_t side) {
        Convolution conv{
            uniform(random_, 0, 3), uniform(random_, 1, 2), uniform(random_, 1, 20), uniform(random_, 1, 20), {}};
        for (int d = 0; d < 2; ++d)
            conv.windows[d] = {uniform(random_, 0, 11), uniform(random_, 0, 9), side, 1, 1, uniform(random_, -2, 4)};
        set_thread_count(static_cast<int>(uniform(random_, 1, 2)));
        return conv;
    }

    /// Errors of a forward convolution, root mean squares: by Winograd's algorithm, and by taps.
    template <int side> std::pair<double, double> errors() {
        const WindowBlock same = window(16, side, 1, side / 2, side / 2);
        const Convolution conv{4, 1, 64, 64, {same, same}};
        const Sizes sizes(conv);
        std::normal_distribution<float> normal;
        std::vector<float> x(sizes.x);
        std::vector<float> w(sizes.w);
        for (std::vector<float> *values : {&x, &w})
            std::generate(values->begin(), values->end(), [&] { return normal(random_); });
        std::vector<double> exact(sizes.y);
        convolution(conv, std::vector<double>(x.begin(), x.end()).data(),
                    std::vector<double>(w.begin(), w.end()).data(), exact.data());
        const auto error = [&](const std::vector<float> &y) {
            double sum = 0;
            for (std::size_t i = 0; i < y.size(); ++i)
                sum += (y[i] - exact[i]) * (y[i] - exact[i]);
            return std::sqrt(sum / static_cast<double>(y.size()));
        };
        std::vector<float> direct(sizes.y);
        convolution(conv, x.data(), w.data(), direct.data());
        std::vector<float> fast(sizes.y);
        std::vector<float> packed(static_cast<std::size_t>(winograd_weights(side, 1, 64, 64)));
        winograd_prepare<side>(ConvolutionKind::forward, conv);
        winograd_pack<side>(ConvolutionKind::forward, conv, w.data(), packed.data());
        winograd_convolution<side>(conv, x.data(), packed.data(), fast.data());
        return {error(fast), error(direct)};
    }
};

TEST_F(Winograd, IsTheConvolutionByTaps) {
    for (int trial = 0; trial < 400 && !HasFailure(); ++trial) {
        expect_winograd<3>(random_convolution(3), random_, 0);
        expect_winograd<5>(random_convolution(5), random_, thirds);
    }
}

/// More tiles than a portion has, more filters than a block.
TEST_F(Winograd, WorksInPortions) {
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        expect_winograd<3>({3, 1, 130, 70, {window(31, 3, 1, 1, 1), window(29, 3, 1, 1, 1)}}, random_, 0);
        expect_winograd<3>({40, 2, 16, 24, {window(14, 3), window(15, 3, 1, 2, 2)}}, random_, 0);
        expect_winograd<5>({3, 1, 130, 70, {window(31, 5, 1, 2, 2), window(29, 5, 1, 2, 2)}}, random_, thirds);
    }
}

TEST_F(Winograd, RoundsNearlyAsDirectSums) {
    const auto [three, direct_three] = errors<3>();
    EXPECT_LT(three, 2 * direct_three);
    const auto [five, direct_five] = errors<5>();
    EXPECT_LT(five, 7 * direct_five); // 8e-7 of what the sums are on average
}

TEST(WinogradPays, OnLargeProductsOnly) {
    const auto pays = [](std::int64_t batch, std::int64_t in, std::int64_t extent, std::int64_t out,
                         std::int64_t side) {
        const WindowBlock same = window(extent, side, 1, side / 2, side / 2);
        return winograd_pays({batch, 1, in, out, {same, same}});
    };
    EXPECT_TRUE(pays(16, 64, 32, 64, 3));
    EXPECT_TRUE(pays(64, 512, 4, 512, 3));
    EXPECT_FALSE(pays(64, 512, 2, 512, 3)); // mostly padding, which taps leave out
    EXPECT_FALSE(pays(1, 512, 4, 512, 3));  // the transform of the weights
    EXPECT_FALSE(pays(16, 3, 32, 64, 3));
    EXPECT_TRUE(pays(16, 96, 27, 256, 5));
    EXPECT_FALSE(pays(128, 6, 14, 16, 5));
    EXPECT_FALSE(pays(16, 64, 32, 64, 7));
    EXPECT_FALSE(winograd_pays({16, 1, 64, 64, {window(32, 3, 1, 1, 1), window(32, 5, 1, 2, 2)}}));
    EXPECT_FALSE(winograd_pays({16, 1, 64, 64, {window(32, 3, 2, 1, 1), window(32, 3, 2, 1, 1)}}));
}

} // namespace
} // namespace planrt
