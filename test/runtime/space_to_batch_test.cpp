// Convolutions of images, by taps, against the convolution that they are of. Numbers are small integers: every order of
// summation gives the same.
#include "convolutions.h"
#include "kernels/convolutions/space_to_batch.h"

#include <planrt/convolution_method.h>

namespace planrt {
namespace {

using SpacesToBatches = Convolutions;

/// All three kinds, in portions of `most` elements.
void expect_equal(const Convolution &conv, std::int64_t most, Random &random) {
    SCOPED_TRACE(describe(conv) + "; portions of " + std::to_string(most));
    const Sizes sizes(conv);
    const auto [x, w, dy, y, dx, dw] = by_taps(conv, random);
    const SpaceToBatch images(conv, most);
    for (const WindowBlock &window : images.portion().windows)
        EXPECT_TRUE(window.dilation == 1 && window.padding == 0 &&
                    window.input == (window.output - 1) * window.stride + window.kernel);
    auto got_y = no_numbers<float>(sizes.y);
    auto got_dx = no_numbers<float>(sizes.x);
    std::vector<float> got_dw(sizes.w);
    images.clear_rest(got_dx.data());
    for (std::int64_t i = 0; i < images.portions(); ++i) {
        auto x_images = no_numbers<float>(static_cast<std::size_t>(images.x_elements()));
        auto y_images = no_numbers<float>(static_cast<std::size_t>(images.y_elements()));
        images.x_to_images(i, x.data(), x_images.data());
        convolution(images.portion(), x_images.data(), w.data(), y_images.data());
        images.images_to_y(i, y_images.data(), got_y.data());
        images.y_to_images(i, dy.data(), y_images.data());
        add_convolution_weight_gradient(images.portion(), x_images.data(), y_images.data(), got_dw.data());
        convolution_input_gradient(images.portion(), y_images.data(), w.data(), x_images.data());
        images.images_to_x(i, x_images.data(), got_dx.data());
    }
    EXPECT_EQ(got_y, y);
    EXPECT_EQ(got_dx, dx);
    EXPECT_EQ(got_dw, dw);
}

TEST_F(SpacesToBatches, AreTheConvolution) {
    for (int trial = 0; trial < 1000 && !HasFailure(); ++trial) {
        Convolution conv{
            uniform(random_, 1, 3), uniform(random_, 1, 2), uniform(random_, 1, 9), uniform(random_, 1, 9), {}};
        const std::int64_t dimensions = uniform(random_, 1, 3);
        for (std::int64_t d = 0; d < dimensions; ++d)
            conv.windows[d] = {uniform(random_, 1, 12), uniform(random_, 1, 12), uniform(random_, 1, 4),
                               uniform(random_, 1, 4),  uniform(random_, 1, 6),  uniform(random_, -6, 9)};
        set_thread_count(static_cast<int>(uniform(random_, 1, 3)));
        expect_equal(conv, uniform(random_, 1, 5000), random_);
    }
}

/// Portions are as even as possible; the last one may have zeros besides its images.
TEST_F(SpacesToBatches, HaveSmallLastPortions) {
    const Convolution conv{2, 1, 1, 1, {window(9, 3, 1, 3, 3, 3), window(8, 3, 1, 2, 2, 2)}};
    const SpaceToBatch whole(conv, 10000);
    EXPECT_EQ(whole.portion().batch, 12);
    EXPECT_EQ(whole.portions(), 1);
    const SpaceToBatch images(conv, 5 * (whole.x_elements() + whole.y_elements()) / 12);
    EXPECT_EQ(images.portion().batch, 4);
    EXPECT_EQ(images.portions(), 3);
    expect_equal({1, 1, 1, 1, {window(35, 3, 1, 7, 7, 7)}}, 26, random_); // 7 images by 2
}

TEST(ImagesPay, OnFewChannelsAndLittlePadding) {
    const auto pays = [](std::int64_t channels, std::int64_t extent, std::int64_t dilation) {
        const WindowBlock same = window(extent, 3, 1, dilation, dilation, dilation);
        return images_pay({2, 1, channels, channels, {same, same}});
    };
    EXPECT_TRUE(pays(16, 512, 8));
    EXPECT_FALSE(pays(64, 512, 8));
    EXPECT_FALSE(pays(16, 32, 12)); // a third of each window is in the padding
    EXPECT_EQ(image_positions({2, 1, 1, 1, {window(9, 3, 1, 4, 4, 4)}}), 12.0 / 9);
}

} // namespace
} // namespace planrt
