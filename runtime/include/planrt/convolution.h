// Convolutions and their gradients on a rank's blocks, in three forms:
// - by taps: a matrix product for every element of the window, for f32 and f64; needs no extra memory;
// - packed: by oneDNN, for f32, on weights in the format that oneDNN chooses. Every copy into and out of that format is
//   a separate call. Convolutions that oneDNN's own kernels do not support, mostly with dilations, run on images of
//   every so many rows and columns where that pays (convolution_method.h), or by taps; the format is then the plain
//   one;
// - by Winograd's algorithm (winograd.h), for f32, windows of 3 x 3 or 5 x 5 and stride 1, on transformed weights.
//
// Shapes: x is (batch, input extents, groups, in), y (batch, output extents, groups, out), w (kernel extents, groups,
// in, out), all dense and row-major.
//
//   const planrt::Convolution conv{batch, 1, 3, 64, {{32, 32, 3, 1, 1, 1}, {32, 32, 3, 1, 1, 1}}};
//   prepare(ConvolutionKind::forward, conv);                     // once, at set-up
//   pack_weights(ConvolutionKind::forward, conv, w, packed);     // packed: packed_weights(9, 1, 3, 64) elements
//   packed_convolution(conv, x, packed, y);
#pragma once

#include <planrt/windows.h>

#include <algorithm>
#include <cstdint>

namespace planrt {

enum class ConvolutionKind : std::uint8_t { forward, input_gradient, weight_gradient };

/// A rank's part of a convolution; `in` and `out` are channels of one group.
struct Convolution {
    std::int64_t batch = 1;
    std::int64_t groups = 1;
    std::int64_t in = 1;
    std::int64_t out = 1;
    WindowBlock windows[most_windows] = {};
    friend bool operator==(const Convolution &, const Convolution &) = default;
};

/// y = x * w. Adds the taps in their order.
void convolution(const Convolution &conv, const float *x, const float *w, float *y);
void convolution(const Convolution &conv, const double *x, const double *w, double *y);
/// dx from dy and w; 0 where no window reaches.
void convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx);
void convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx);
/// dw from x and dy.
void convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw);
void convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw);

/// Adds the contribution of other rows of x, or of dy, to the result: those of a halo. The result has rows that meet
/// none of them. The geometry is that of these rows.
void add_convolution(const Convolution &conv, const float *x, const float *w, float *y);
void add_convolution(const Convolution &conv, const double *x, const double *w, double *y);
void add_convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx);
void add_convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx);
void add_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw);
void add_convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw);

/// The maximum number of elements of packed weights: channels rounded up to 16; with one channel per group, the groups
/// are rounded up. `window`: product of the kernel extents. Formats that need more are not used.
[[nodiscard]] constexpr std::int64_t packed_weights(std::int64_t window, std::int64_t groups, std::int64_t in,
                                                    std::int64_t out) {
    const auto rounded = [](std::int64_t channels) { return (channels + 15) / 16 * 16; };
    return in == 1 && out == 1 ? window * rounded(groups) : window * groups * rounded(in) * rounded(out);
}

/// The number of elements of weights that winograd_pack<window>() transforms.
[[nodiscard]] constexpr std::int64_t winograd_weights(std::int64_t window, std::int64_t groups, std::int64_t in,
                                                      std::int64_t out) {
    return (window + 1) * (window + 1) * groups * in * out;
}

/// Whether a convolution, with both gradients, uses Winograd's algorithm.
///
/// The criterion counts operations at the rate of large products and was fitted to measurements
/// (test/bench/convolution_rate): a direct convolution reaches 0.85 of that rate; transforms cost 190 for each channel
/// and position of x or y, and those of the weights, which run once and go through memory, 1000 for each filter and
/// channel.
[[nodiscard]] constexpr bool winograd_pays(const Convolution &conv) {
    double positions = static_cast<double>(conv.batch);
    double taps = positions;  // that touch the input
    double tiles = positions; // of 2 x 2
    const std::int64_t kernel = conv.windows[0].kernel;
    for (int d = 0; d < most_windows; ++d) {
        const WindowBlock &window = conv.windows[d];
        if (d == 2 ? window != WindowBlock{} : window.kernel != kernel || window.stride != 1 || window.dilation != 1)
            return false;
        taps *= static_cast<double>(touching_taps(window));
        positions *= static_cast<double>(window.output);
        tiles *= static_cast<double>((window.output + (d < 2 ? 1 : 0)) / (d < 2 ? 2 : 1));
    }
    if (kernel != 3 && kernel != 5)
        return false;
    const auto filters = static_cast<double>(conv.groups * conv.in * conv.out);
    const auto channels = static_cast<double>(conv.groups * (conv.in + conv.out));
    const double elements = static_cast<double>(winograd_weights(kernel, 1, 1, 1)) / 16;
    return 2 * taps * filters / 0.85 > elements * (32 * tiles * filters + 190 * positions * channels + 1000 * filters);
}

/// Reserves memory in which kernels work one after another; it has the size of the largest request at set-up.
void reserve_kernel_scratch(std::int64_t bytes); ///< Errors: std::bad_alloc
[[nodiscard]] void *kernel_scratch();

/// Chooses and creates oneDNN's primitive for this geometry, with the reorder of its weights and its working memory;
/// existing ones are reused. Called at set-up, so that the calls below do not allocate.
void prepare(ConvolutionKind kind, const Convolution &conv);
/// The name of the implementation: oneDNN's, "jit:avx2"; or "taps".
[[nodiscard]] const char *implementation(ConvolutionKind kind, const Convolution &conv);
/// Working memory of the primitives, in bytes: that of the largest one prepared, since they run one after another.
[[nodiscard]] std::int64_t primitive_scratch_bytes();

/// Converts weights to the format of the kind, `forward` or `input_gradient`. Always writes up to the last of the
/// packed_weights() elements, so that a buffer is as large as what is written to it.
void pack_weights(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed);
/// dw from the result of packed_convolution_weight_gradient().
void unpack_weights(const Convolution &conv, const float *packed, float *dw);
void packed_convolution(const Convolution &conv, const float *x, const float *packed, float *y);
void packed_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed, float *dx);
/// Also writes up to the last of the packed_weights() elements.
void packed_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *packed);

} // namespace planrt
