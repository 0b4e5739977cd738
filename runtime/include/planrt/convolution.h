// Convolutions and their gradients on a rank's blocks, in three forms:
//   - by taps: a matrix product for every element of the window, of f32 and f64; needs no memory besides;
//   - packed: oneDNN's, of f32, on weights in the format that it asks for. Every copy into and out of that format is a
//     call of its own. What oneDNN's own kernels refuse, dilations mostly, is done by them on images of every so many
//     rows and columns, where that pays (convolution_method.h), or by taps; the format is then the plain one;
//   - Winograd's (winograd.h), of f32, for windows of 3 x 3 or 5 x 5 that move by one, on transformed weights.
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

/// y = x * w. Sums over the taps in their order.
void convolution(const Convolution &conv, const float *x, const float *w, float *y);
void convolution(const Convolution &conv, const double *x, const double *w, double *y);
/// dx from dy and w; 0 where no window comes.
void convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx);
void convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx);
/// dw from x and dy.
void convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw);
void convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw);

/// What other rows of x, or of dy, add to what is in the result: those of a halo, of which the result has rows that
/// meet none. The geometry is theirs.
void add_convolution(const Convolution &conv, const float *x, const float *w, float *y);
void add_convolution(const Convolution &conv, const double *x, const double *w, double *y);
void add_convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx);
void add_convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx);
void add_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw);
void add_convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw);

/// Elements that packed weights take at most: channels rounded up to 16, for one channel a group the groups. `window`:
/// product of the kernel extents. A format that takes more is not used.
[[nodiscard]] constexpr std::int64_t packed_weights(std::int64_t window, std::int64_t groups, std::int64_t in,
                                                    std::int64_t out) {
    const auto rounded = [](std::int64_t channels) { return (channels + 15) / 16 * 16; };
    return in == 1 && out == 1 ? window * rounded(groups) : window * groups * rounded(in) * rounded(out);
}

/// Elements of weights that winograd_pack<window>() transforms.
[[nodiscard]] constexpr std::int64_t winograd_weights(std::int64_t window, std::int64_t groups, std::int64_t in,
                                                      std::int64_t out) {
    return (window + 1) * (window + 1) * groups * in * out;
}

/// Whether a convolution is by Winograd's, which all three kinds then are.
///
/// Counted in operations at the rate of large products, fitted to measurements (test/bench/convolution_rate): a direct
/// convolution reaches 0.85 of that rate; transforms take 190 for a channel and a position of x or y, and those of the
/// weights, which come once and go through memory, 1000 for a filter's two channels.
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

/// Memory that kernels work in one after the other, as large as what asked for most at set-up.
void reserve_kernel_scratch(std::int64_t bytes); ///< Errors: std::bad_alloc
[[nodiscard]] void *kernel_scratch();

/// Chooses oneDNN's primitive for this geometry and makes it, with the reorder of its weights and the memory that it
/// works in; what is there already is found again. Called at set-up: the calls below then allocate nothing.
void prepare(ConvolutionKind kind, const Convolution &conv);
/// What computes it: oneDNN's name of its implementation, "jit:avx2"; "taps" without one.
[[nodiscard]] const char *implementation(ConvolutionKind kind, const Convolution &conv);
/// Bytes that primitives work in besides their operands: the largest of all that are prepared, which take turns.
[[nodiscard]] std::int64_t primitive_scratch_bytes();

/// Weights in the format of the kind, `forward` or `input_gradient`. Writes the last of the packed_weights() elements,
/// whatever the format: a buffer is as large as what is written to it.
void pack_weights(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed);
/// dw from what packed_convolution_weight_gradient() made.
void unpack_weights(const Convolution &conv, const float *packed, float *dw);
void packed_convolution(const Convolution &conv, const float *x, const float *packed, float *y);
void packed_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed, float *dx);
/// Writes the last of the packed_weights() elements, too.
void packed_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *packed);

} // namespace planrt
