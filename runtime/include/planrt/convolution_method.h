// What computes a convolution, as the lowering (winograd_pays) and the runtime (taps_pay) choose it and the cost model
// prices it.
#pragma once

#include <planrt/convolution.h>

#include <algorithm>
#include <cstdint>

namespace planrt {

/// Whether products by taps are faster than oneDNN's convolution: where much of the window lies in the padding, which
/// they leave out, and for weight gradients without AVX-512 (test/bench/convolution_rate). Few channels make slow
/// products.
[[nodiscard]] constexpr bool taps_pay(ConvolutionKind kind, const Convolution &conv, bool avx512) {
    constexpr std::int64_t many = 32;
    if (std::min(conv.in, conv.out) < many)
        return false;
    double share = 1; // of pairs of a position and a tap that touch the input
    bool moves_by_one = true;
    for (const WindowBlock &window : conv.windows) {
        share *= static_cast<double>(touching_taps(window)) / static_cast<double>(window.output * window.kernel);
        moves_by_one = moves_by_one && window.stride == 1;
    }
    return share < 0.85 || (kind == ConvolutionKind::weight_gradient && moves_by_one && !avx512);
}

/// direct: oneDNN's, where it has one.
enum class ConvolutionMethod : std::uint8_t { direct, winograd, taps };

/// What computes a convolution of f32: the lowering chooses by this and the cost model prices it.
[[nodiscard]] constexpr ConvolutionMethod method_of(ConvolutionKind kind, const Convolution &conv, bool avx512) {
    return winograd_pays(conv)            ? ConvolutionMethod::winograd
           : taps_pay(kind, conv, avx512) ? ConvolutionMethod::taps
                                          : ConvolutionMethod::direct;
}

} // namespace planrt
