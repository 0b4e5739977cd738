// Windows on one rank: where the windows of a convolution or a pool lie in the rank's blocks.
//
// Activations are (batch, up to three spatial extents, channels). A rank has rows [xb, xe) of the input x, over which
// the windows move, and rows [yb, ye) of the output y, which are their positions. All numbers below refer to these
// blocks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace planrt {

/// One spatial dimension. The window at row p of the output touches rows p * stride - padding + k * dilation of the
/// input, for k in [0, kernel); those outside [0, input) are padding and are skipped.
///
///   padding = (padding of the whole) + xb - yb * stride
///
/// This also holds for gradients of the input, where it may be negative: rows before the first window. Extents may be
/// 0.
struct WindowBlock {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padding = 0;
    friend bool operator==(const WindowBlock &, const WindowBlock &) = default;
};

constexpr int most_windows = 3;

/// Positions [begin, end) of the output whose window has this tap within the input; end <= begin if there are none.
struct TouchingPositions {
    std::int64_t begin;
    std::int64_t end;
    constexpr TouchingPositions(const WindowBlock &window, std::int64_t tap) {
        const std::int64_t first = tap * window.dilation - window.padding; // row of the input at position 0
        begin = first >= 0 ? 0 : (-first + window.stride - 1) / window.stride;
        end = first >= window.input ? 0 : std::min(window.output, (window.input - 1 - first) / window.stride + 1);
    }
    [[nodiscard]] constexpr std::int64_t count() const { return std::max<std::int64_t>(end - begin, 0); }
};

/// The number of pairs of a position and a tap that lie within the input; all others lie in the padding.
[[nodiscard]] constexpr std::int64_t touching_taps(const WindowBlock &window) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < window.kernel; ++tap)
        count += TouchingPositions(window, tap).count();
    return count;
}

} // namespace planrt
