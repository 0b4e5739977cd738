// Winograd's minimal filtering of one line, F(2, window): two outputs of a filter from window + 1 products, for windows
// of 3 and of 5 (Lavin and Gray, "Fast algorithms for convolutional neural networks", CVPR 2016). winograd.h applies
// them to columns, then to rows.
//
// With d a line of inputs, g a filter, y two outputs:
//
//   y = A' [ (G g) * (B' d) ]      and its gradient      dg = G' [ (B' d) * (A dy) ]
//
// The matrices are Toom and Cook's, from interpolation at 0, 1, -1 and infinity for windows of 3, and at 0, 2/3, -2/3,
// 3/2, -3/2 and infinity for windows of 5. These points have the smallest rounding errors: sums over 64 channels have a
// relative error of 8e-7, five times that of direct sums; the points 0, 1, -1, 2 and -2 would double it.
#pragma once

#include <array>
#include <cstddef>

namespace planrt::winograd {

/// A line of numbers, or of vectors of numbers.
template <class T, std::size_t size> using Line = std::array<T, size>;

constexpr int tile = 2; ///< outputs of a line

template <int window> struct Lines;

template <> struct Lines<3> {
    static constexpr int side = tile + 2; ///< inputs that a tile reads

    template <class T> static Line<T, side> input(const Line<T, side> &d) { // B'
        return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]};
    }
    template <class T> static Line<T, side> filter(const Line<T, 3> &g) { // G
        const T even = (g[0] + g[2]) / 2;
        return {g[0], even + g[1] / 2, even - g[1] / 2, g[2]};
    }
    template <class T> static Line<T, tile> output(const Line<T, side> &m) { // A'
        return {m[0] + m[1] + m[2], m[1] - m[2] - m[3]};
    }
    template <class T> static Line<T, side> output_gradient(const Line<T, tile> &dy) { // A
        return {dy[0], dy[0] + dy[1], dy[0] - dy[1], -dy[1]};
    }
    template <class T> static Line<T, 3> filter_gradient(const Line<T, side> &u) { // G'
        const T even = (u[1] + u[2]) / 2;
        return {u[0] + even, (u[1] - u[2]) / 2, even + u[3]};
    }
};

template <> struct Lines<5> {
    static constexpr int side = tile + 4;
    static constexpr float p = 2.0F / 3;
    static constexpr float q = 3.0F / 2;
    static constexpr float squares = 97.0F / 36; ///< p^2 + q^2
    static constexpr float at_p = -81.0F / 130;  ///< 1 / (2 p^2 (p^2 - q^2))
    static constexpr float at_q = 8.0F / 65;     ///< 1 / (2 q^2 (q^2 - p^2))

    template <class T> static Line<T, side> input(const Line<T, side> &d) {
        const T even_p = d[4] - q * q * d[2];
        const T odd_p = p * d[3] - q * d[1];
        const T even_q = d[4] - p * p * d[2];
        const T odd_q = q * d[3] - p * d[1];
        return {d[0] + d[4] - squares * d[2], even_p + odd_p, even_p - odd_p, even_q + odd_q, even_q - odd_q,
                d[1] + d[5] - squares * d[3]};
    }
    template <class T> static Line<T, side> filter(const Line<T, 5> &g) {
        const T even_p = at_p * (g[0] + p * p * (g[2] + p * p * g[4]));
        const T odd_p = at_p * p * (g[1] + p * p * g[3]);
        const T even_q = at_q * (g[0] + q * q * (g[2] + q * q * g[4]));
        const T odd_q = at_q * q * (g[1] + q * q * g[3]);
        return {g[0], even_p + odd_p, even_p - odd_p, even_q + odd_q, even_q - odd_q, g[4]};
    }
    template <class T> static Line<T, tile> output(const Line<T, side> &m) {
        return {m[0] + (m[1] + m[2]) + (m[3] + m[4]), p * (m[1] - m[2]) + q * (m[3] - m[4]) + m[5]};
    }
    template <class T> static Line<T, side> output_gradient(const Line<T, tile> &dy) {
        return {dy[0], dy[0] + p * dy[1], dy[0] - p * dy[1], dy[0] + q * dy[1], dy[0] - q * dy[1], dy[1]};
    }
    template <class T> static Line<T, 5> filter_gradient(const Line<T, side> &u) {
        const T even_p = at_p * (u[1] + u[2]);
        const T odd_p = at_p * p * (u[1] - u[2]);
        const T even_q = at_q * (u[3] + u[4]);
        const T odd_q = at_q * q * (u[3] - u[4]);
        return {u[0] + even_p + even_q, odd_p + odd_q, p * p * even_p + q * q * even_q, p * p * odd_p + q * q * odd_q,
                p * p * (p * p * even_p) + q * q * (q * q * even_q) + u[5]};
    }
};

} // namespace planrt::winograd
