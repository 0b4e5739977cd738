#include "kernels/convolutions/convolution_on_images.h"

#include <planrt/parallel.h>

#include <cstddef>

namespace planrt {

namespace {

/// Divides the images into portions that stay in the second-level cache of each thread.
SpaceToBatch images_of(const Convolution &conv) {
    constexpr std::int64_t elements = 1 << 18;
    return SpaceToBatch(conv, elements * thread_count());
}

/// Where images begin, in bytes: on a cache line of their own.
std::int64_t behind(std::int64_t bytes) {
    constexpr std::int64_t line = 64;
    return (bytes + line - 1) / line * line;
}

void add(std::int64_t count, const float *from, float *to) {
    parallel(0, count, grain(1), [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            to[i] += from[i];
    });
}

} // namespace

ConvolutionOnImages::ConvolutionOnImages(ConvolutionKind kind, const Convolution &conv)
    : images_(images_of(conv)), primitive_(kind, images_.portion()) {
    const bool sums = kind == ConvolutionKind::weight_gradient && images_.portions() > 1;
    const std::int64_t elements = images_.x_elements() + images_.y_elements() + (sums ? primitive_.weights() : 0);
    reserve_kernel_scratch(behind(primitive_.scratch_bytes()) + elements * static_cast<std::int64_t>(sizeof(float)));
}

bool ConvolutionOnImages::is_possible(ConvolutionKind kind, const Convolution &conv) {
    return ConvolutionPrimitive::offer(kind, images_of(conv).portion()) == ConvolutionPrimitive::Offer::kernel;
}

float *ConvolutionOnImages::x_images() const {
    return reinterpret_cast<float *>(static_cast<std::byte *>(kernel_scratch()) + behind(primitive_.scratch_bytes()));
}

void ConvolutionOnImages::forward(const float *x, const float *packed, float *y) const {
    for (std::int64_t i = 0; i < images_.portions(); ++i) {
        images_.x_to_images(i, x, x_images());
        primitive_.execute(x_images(), packed, y_images());
        images_.images_to_y(i, y_images(), y);
    }
}

void ConvolutionOnImages::input_gradient(const float *dy, const float *packed, float *dx) const {
    images_.clear_rest(dx);
    for (std::int64_t i = 0; i < images_.portions(); ++i) {
        images_.y_to_images(i, dy, y_images());
        primitive_.execute(y_images(), packed, x_images());
        images_.images_to_x(i, x_images(), dx);
    }
}

void ConvolutionOnImages::weight_gradient(const float *x, const float *dy, float *packed) const {
    for (std::int64_t i = 0; i < images_.portions(); ++i) {
        images_.x_to_images(i, x, x_images());
        images_.y_to_images(i, dy, y_images());
        primitive_.execute(x_images(), y_images(), i == 0 ? packed : summand());
        if (i > 0)
            add(primitive_.weights(), summand(), packed);
    }
}

} // namespace planrt
