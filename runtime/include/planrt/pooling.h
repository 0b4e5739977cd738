// Pools and their gradients on a rank's blocks. Templates, so that their loops over channels are vectorised for the
// processor that the program is compiled for.
//
// Shapes: x is (batch, input extents, channels), y (batch, output extents, channels), dense and row-major. What lies
// beyond the ends of the input does not exist: it is no maximum and adds nothing. Gradients take the geometry that
// windows.h says for them. Threads take positions of what is written.
//
//   const planrt::Pool pool{batch, 64, {{32, 16, 3, 2, 1, 1}, {32, 16, 3, 2, 1, 1}}};
//   max_pool(pool, x, y, numbers);
//   max_pool_gradient(pool, dy, numbers, dx);
#pragma once

#include <planrt/parallel.h>
#include <planrt/windows.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace planrt {

struct Pool {
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    WindowBlock windows[most_windows] = {};
};

namespace pooling {

/// The taps of one window that lie within the input: [begin, end), and the input row of tap 0.
struct TouchedTaps {
    std::int64_t first;
    std::int64_t begin;
    std::int64_t end;

    TouchedTaps(const WindowBlock &window, std::int64_t position)
        : first(position * window.stride - window.padding),
          begin(first < 0 ? (-first + window.dilation - 1) / window.dilation : 0),
          end(first < window.input ? std::min(window.kernel, (window.input - 1 - first) / window.dilation + 1) : 0) {}
};

/// The position whose window touches input row `row` with this tap; -1: none.
inline std::int64_t touching(const WindowBlock &window, std::int64_t row, std::int64_t tap) {
    const std::int64_t at = row + window.padding - tap * window.dilation;
    return at < 0 || at % window.stride != 0 || at / window.stride >= window.output ? -1 : at / window.stride;
}

/// Calls body(number, row in the rank's block, rows of the three dimensions) for all positions of an extent each.
template <class Body> void for_each_row(const Pool &pool, std::int64_t WindowBlock::*extent, const Body &body) {
    const std::int64_t a = pool.windows[0].*extent;
    const std::int64_t b = pool.windows[1].*extent;
    const std::int64_t c = pool.windows[2].*extent;
    std::int64_t taps = 1;
    for (const WindowBlock &window : pool.windows)
        taps *= window.kernel;
    parallel(0, pool.batch * a * b, grain(c * taps * pool.channels), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            for (std::int64_t j = 0; j < c; ++j)
                body(i * c + j, i / (a * b), i / b % a, i % b, j);
    });
}

/// For every position of the output: begin(its number), then tap(its number, number of an input row, number of the
/// element within the window, row-major) for all elements that exist, in their order.
template <class Begin, class Tap> void over_outputs(const Pool &pool, const Begin &begin, const Tap &tap) {
    const auto &[a, b, c] = pool.windows;
    for_each_row(
        pool, &WindowBlock::output,
        [&](std::int64_t number, std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t k) {
            begin(number);
            const TouchedTaps over_a(a, i);
            const TouchedTaps over_b(b, j);
            const TouchedTaps over_c(c, k);
            for (std::int64_t s = over_a.begin; s < over_a.end; ++s)
                for (std::int64_t t = over_b.begin; t < over_b.end; ++t)
                    for (std::int64_t u = over_c.begin; u < over_c.end; ++u)
                        tap(number,
                            ((n * a.input + over_a.first + s * a.dilation) * b.input + over_b.first + t * b.dilation) *
                                    c.input +
                                over_c.first + u * c.dilation,
                            static_cast<std::int32_t>((s * b.kernel + t) * c.kernel + u));
        });
}

/// For every row of the input: begin(its number), then tap(its number, number of an output position, number of the row
/// within that window) for all windows that touch it.
template <class Begin, class Tap> void over_inputs(const Pool &pool, const Begin &begin, const Tap &tap) {
    const auto &[a, b, c] = pool.windows;
    for_each_row(pool, &WindowBlock::input,
                 [&](std::int64_t number, std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t k) {
                     begin(number);
                     for (std::int64_t s = 0; s < a.kernel; ++s) {
                         const std::int64_t p = touching(a, i, s);
                         for (std::int64_t t = 0; p >= 0 && t < b.kernel; ++t) {
                             const std::int64_t q = touching(b, j, t);
                             for (std::int64_t u = 0; q >= 0 && u < c.kernel; ++u)
                                 if (const std::int64_t r = touching(c, k, u); r >= 0)
                                     tap(number, ((n * a.output + p) * b.output + q) * c.output + r,
                                         static_cast<std::int32_t>((s * b.kernel + t) * c.kernel + u));
                         }
                     }
                 });
}

} // namespace pooling

/// y = the largest element of each window; -∞ where there is none.
template <class T> void max_pool(const Pool &pool, const T *x, T *y) {
    const std::int64_t channels = pool.channels;
    pooling::over_outputs(
        pool, [=](std::int64_t at) { std::fill_n(y + at * channels, channels, -std::numeric_limits<T>::infinity()); },
        [=](std::int64_t at, std::int64_t row, std::int32_t) {
            const T *from = x + row * channels;
            T *to = y + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i)
                to[i] = to[i] < from[i] || from[i] != from[i] ? from[i] : to[i]; // what is no number stays seen
        });
}

/// The same, and the number of that element within its window, row-major over the dimensions; of equal ones the first;
/// -1 where there is none.
template <class T> void max_pool(const Pool &pool, const T *x, T *y, std::int32_t *numbers) {
    const std::int64_t channels = pool.channels;
    pooling::over_outputs(
        pool,
        [=](std::int64_t at) {
            std::fill_n(y + at * channels, channels, -std::numeric_limits<T>::infinity());
            std::fill_n(numbers + at * channels, channels, -1);
        },
        [=](std::int64_t at, std::int64_t row, std::int32_t number) {
            const T *from = x + row * channels;
            T *to = y + at * channels;
            std::int32_t *to_numbers = numbers + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i) {
                const bool larger = to_numbers[i] < 0 || to[i] < from[i] || from[i] != from[i];
                to[i] = larger ? from[i] : to[i];
                to_numbers[i] = larger ? number : to_numbers[i];
            }
        });
}

/// dx = the sum of dy over the windows whose largest element it is.
template <class T> void max_pool_gradient(const Pool &pool, const T *dy, const std::int32_t *numbers, T *dx) {
    const std::int64_t channels = pool.channels;
    pooling::over_inputs(
        pool, [=](std::int64_t at) { std::fill_n(dx + at * channels, channels, T{0}); },
        [=](std::int64_t at, std::int64_t position, std::int32_t number) {
            const T *from = dy + position * channels;
            const std::int32_t *from_numbers = numbers + position * channels;
            T *to = dx + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i)
                to[i] += from_numbers[i] == number ? from[i] : T{0};
        });
}

/// y = the sum of each window.
template <class T> void sum_pool(const Pool &pool, const T *x, T *y) {
    const std::int64_t channels = pool.channels;
    pooling::over_outputs(
        pool, [=](std::int64_t at) { std::fill_n(y + at * channels, channels, T{0}); },
        [=](std::int64_t at, std::int64_t row, std::int32_t) {
            const T *from = x + row * channels;
            T *to = y + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i)
                to[i] += from[i];
        });
}

/// dx = the sum of dy over the windows that touch it.
template <class T> void sum_pool_gradient(const Pool &pool, const T *dy, T *dx) {
    const std::int64_t channels = pool.channels;
    pooling::over_inputs(
        pool, [=](std::int64_t at) { std::fill_n(dx + at * channels, channels, T{0}); },
        [=](std::int64_t at, std::int64_t position, std::int32_t) {
            const T *from = dy + position * channels;
            T *to = dx + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i)
                to[i] += from[i];
        });
}

} // namespace planrt
