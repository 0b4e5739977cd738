// Chooses what computes a convolution: for the lowering (winograd_pays), the runtime (taps_pay) and the
// cost model, which prices it.
#pragma once

#include <planrt/convolution.h>

#include <algorithm>
#include <cstdint>

namespace planrt {

/// The share of the pairs of a position and a tap that touch the input.
[[nodiscard]] constexpr double touching_share(const Convolution &conv) {
    double share = 1;
    for (const WindowBlock &window : conv.windows)
        share *= static_cast<double>(touching_taps(window)) / static_cast<double>(window.output * window.kernel);
    return share;
}

/// The elements of one row of x: its last dimension and the channels.
[[nodiscard]] constexpr std::int64_t row_elements(const Convolution &conv) {
    std::int64_t last = 1;
    for (const WindowBlock &window : conv.windows)
        if (window != WindowBlock{})
            last = window.input;
    return last * conv.groups * conv.in;
}

/// Whether products by taps are faster than oneDNN's convolution. They are where much of the window lies in the
/// padding, which they skip, and for weight gradients without AVX-512 (test/bench/convolution_rate) with few channels,
/// if the rows of oneDNN's kernel exceed the first-level cache. Products of few channels are slow, too.
[[nodiscard]] constexpr bool taps_pay(ConvolutionKind kind, const Convolution &conv, bool avx512) {
    constexpr std::int64_t many = 32;
    constexpr std::int64_t some = 16;
    constexpr std::int64_t long_row = 4096; // elements
    const std::int64_t channels = std::min(conv.in, conv.out);
    if (channels < some)
        return false;
    bool moves_by_one = true;
    bool is_point = true;
    for (const WindowBlock &window : conv.windows) {
        moves_by_one = moves_by_one && window.stride == 1;
        is_point = is_point && window.kernel == 1;
    }
    if (kind == ConvolutionKind::weight_gradient && moves_by_one && !avx512)
        return channels >= many || (row_elements(conv) >= long_row && !is_point);
    return channels >= many && touching_share(conv) < 0.85;
}

[[nodiscard]] constexpr bool is_dilated(const Convolution &conv) {
    bool dilated = false;
    for (const WindowBlock &window : conv.windows)
        dilated = dilated || (window.kernel > 1 && window.dilation > 1);
    return dilated;
}

/// direct: by oneDNN, if it has a kernel.
enum class ConvolutionMethod : std::uint8_t { direct, winograd, taps };

/// The method for a convolution in f32, which the lowering uses and the cost model prices. For dilations, the runtime
/// asks oneDNN: its AVX-512 kernels support most, its AVX2 kernels hardly any.
[[nodiscard]] constexpr ConvolutionMethod method_of(ConvolutionKind kind, const Convolution &conv, bool avx512) {
    if (winograd_pays(conv))
        return ConvolutionMethod::winograd;
    if (taps_pay(kind, conv, avx512) || (is_dilated(conv) && !avx512))
        return ConvolutionMethod::taps;
    return ConvolutionMethod::direct;
}

} // namespace planrt
