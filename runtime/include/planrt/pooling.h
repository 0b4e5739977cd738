// Pools and their gradients on a rank's blocks. They are templates, so that their loops over channels are vectorised
// for the processor that the program is compiled for.
//
// Shapes: x is (batch, input extents, channels), y (batch, output extents, channels), dense and row-major. Elements
// outside the input do not exist: they are never the maximum and add nothing. Gradients take the geometry that
// windows.h defines for them. Threads divide the positions of the tensor that is written.
//
//   const planrt::Pool pool{batch, 64, {{32, 16, 3, 2, 1, 1}, {32, 16, 3, 2, 1, 1}}};
//   max_pool(pool, x, y, numbers);
//   max_pool_gradient(pool, dy, numbers, dx);
#pragma once

#include <planrt/parallel.h>
#include <planrt/windows.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
          end(first + (window.kernel - 1) * window.dilation < window.input ? window.kernel
              : first < window.input ? (window.input - 1 - first) / window.dilation + 1
                                     : 0) {}
};

/// The position whose window touches input row `row` with this tap; -1 if there is none.
inline std::int64_t touching(const WindowBlock &window, std::int64_t row, std::int64_t tap) {
    const std::int64_t at = row + window.padding - tap * window.dilation;
    return at < 0 || at % window.stride != 0 || at / window.stride >= window.output ? -1 : at / window.stride;
}

/// Calls body(number, sample, rows of the three dimensions, number of following positions in the same line on this
/// thread) for all positions of the given extents. A line runs along the last dimension, or along the last but one if
/// the last has one row.
template <class Body> void for_each_row(const Pool &pool, std::int64_t WindowBlock::*extent, const Body &body) {
    const std::int64_t a = pool.windows[0].*extent;
    const std::int64_t b = pool.windows[1].*extent;
    const std::int64_t c = pool.windows[2].*extent;
    std::int64_t taps = 1;
    for (const WindowBlock &window : pool.windows)
        taps *= window.kernel;
    parallel(0, pool.batch * a * b, grain(c * taps * pool.channels), [&](std::int64_t begin, std::int64_t end) {
        if (begin == end)
            return;
        std::int64_t n = begin / (a * b);
        std::int64_t i = begin / b % a;
        std::int64_t j = begin % b;
        for (std::int64_t row = begin; row < end; ++row) {
            for (std::int64_t k = 0; k < c; ++k)
                body(row * c + k, n, i, j, k, c > 1 ? c - 1 - k : std::min(b - j, end - row) - 1);
            if (++j < b) // counted, since divisions take longer than a window of few channels
                continue;
            j = 0;
            if (++i < a)
                continue;
            i = 0;
            ++n;
        }
    });
}

/// Where the window of a position lies.
struct TouchedWindow {
    TouchedTaps a;
    TouchedTaps b;
    TouchedTaps c;

    TouchedWindow(const Pool &pool, std::int64_t i, std::int64_t j, std::int64_t k)
        : a(pool.windows[0], i), b(pool.windows[1], j), c(pool.windows[2], k) {}

    /// The number of the input row at tap (s, t, u), for sample n.
    [[nodiscard]] std::int64_t row(const Pool &pool, std::int64_t n, std::int64_t s, std::int64_t t,
                                   std::int64_t u) const {
        const auto &[x, y, z] = pool.windows;
        return ((n * x.input + a.first + s * x.dilation) * y.input + b.first + t * y.dilation) * z.input + c.first +
               u * z.dilation;
    }
};

/// The positions in one dimension whose windows lie entirely within the input.
struct WholePositions {
    std::int64_t stride;
    std::int64_t padding;
    std::int64_t begin;
    std::int64_t end;

    explicit WholePositions(const WindowBlock &window)
        : stride(window.stride), padding(window.padding), begin(padding > 0 ? (padding + stride - 1) / stride : 0) {
        const std::int64_t last = window.input - 1 - (window.kernel - 1) * window.dilation + padding;
        end = last < 0 ? 0 : last / stride + 1;
    }
    [[nodiscard]] bool contains(std::int64_t position) const { return begin <= position && position < end; }
    [[nodiscard]] std::int64_t first_row(std::int64_t position) const { return position * stride - padding; }
};

/// For every position of the output: if the window lies within the input and `all_at_once` is set, calls whole(its
/// number, number of the first input row, following positions); otherwise begin(its number), then tap(its number,
/// number of an input row, row-major number of the element within the window) for all elements that exist, in order.
template <class Whole, class Begin, class Tap>
void over_outputs(const Pool &pool, bool all_at_once, const Whole &whole, const Begin &begin, const Tap &tap) {
    const std::int64_t b = pool.windows[1].kernel;
    const std::int64_t c = pool.windows[2].kernel;
    const WholePositions along_a(pool.windows[0]);
    const WholePositions along_b(pool.windows[1]);
    const WholePositions along_c(pool.windows[2]);
    const auto &[x, y, z] = pool.windows;
    for_each_row(
        pool, &WindowBlock::output,
        [&](std::int64_t number, std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t k,
            std::int64_t following) {
            if (all_at_once && along_a.contains(i) && along_b.contains(j) && along_c.contains(k))
                return whole(number,
                             ((n * x.input + along_a.first_row(i)) * y.input + along_b.first_row(j)) * z.input +
                                 along_c.first_row(k),
                             following);
            const TouchedWindow window(pool, i, j, k);
            begin(number);
            for (std::int64_t s = window.a.begin; s < window.a.end; ++s)
                for (std::int64_t t = window.b.begin; t < window.b.end; ++t)
                    for (std::int64_t u = window.c.begin; u < window.c.end; ++u)
                        tap(number, window.row(pool, n, s, t, u), static_cast<std::int32_t>((s * b + t) * c + u));
        });
}

/// The same, always tap by tap.
template <class Begin, class Tap> void over_outputs(const Pool &pool, const Begin &begin, const Tap &tap) {
    over_outputs(pool, false, [](std::int64_t, std::int64_t, std::int64_t) {}, begin, tap);
}

/// For every row of the input, calls begin(its number), then tap(its number, number of an output position, number of
/// the row within that window) for all windows that touch it.
template <class Begin, class Tap> void over_inputs(const Pool &pool, const Begin &begin, const Tap &tap) {
    const auto &[a, b, c] = pool.windows;
    for_each_row(
        pool, &WindowBlock::input,
        [&](std::int64_t number, std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) {
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

/// Windows of `taps` elements that lie within the input: all elements at once, in registers. Channels that do not fill
/// a vector are handled as if they did, as long as later positions overwrite what is written past their end.
template <int taps> class WholeWindows {
  public:
    explicit WholeWindows(const Pool &pool) : pool_(pool), excess_((lanes - pool.channels % lanes) % lanes) {
        const auto &[a, b, c] = pool.windows;
        elements_ = pool.batch * a.input * b.input * c.input * pool.channels;
        for (std::int64_t tap = 0; tap < taps; ++tap)
            offsets_[static_cast<std::size_t>(tap)] =
                ((tap / (b.kernel * c.kernel) * a.dilation * b.input + tap / c.kernel % b.kernel * b.dilation) *
                     c.input +
                 tap % c.kernel * c.dilation) *
                pool.channels;
    }

    [[nodiscard]] static bool fit(const Pool &pool) {
        return pool.windows[0].kernel * pool.windows[1].kernel * pool.windows[2].kernel == taps;
    }

    /// The largest elements of the window that begins at row `row` of x, channel by channel, and their argmax.
    template <class T>
    void maximum(const T *x, std::int64_t row, T *y, std::int32_t *numbers, std::int64_t following) const {
        const T *first = x + row * pool_.channels;
        const bool room = following * pool_.channels >= excess_ &&
                          (row + 1) * pool_.channels + offsets_.back() + excess_ <= elements_;
        for_each_channel(room, [&](std::int64_t i) {
            T best = first[i];
            std::int32_t number = 0;
            for (int tap = 1; tap < taps; ++tap) {
                const T value = first[offsets_[static_cast<std::size_t>(tap)] + i];
                const bool larger = best < value || value != value; // NaN stays visible
                best = larger ? value : best;
                number = larger ? tap : number;
            }
            y[i] = best;
            numbers[i] = number;
        });
    }

    /// Writes dy to the largest elements and 0 to the others, if windows_tile(). dy and the numbers of later positions
    /// follow in memory.
    template <class T> void spread(const T *dy, const std::int32_t *numbers, T *first, std::int64_t following) const {
        for (int tap = 0; tap < taps; ++tap) { // in the order of what they write
            T *to = first + offsets_[static_cast<std::size_t>(tap)];
            for_each_channel(following * pool_.channels >= excess_, [&](std::int64_t i) {
                const T value = dy[i]; // always loaded: masked loads are slow
                to[i] = numbers[i] == tap ? value : T{0};
            });
        }
    }

  private:
    static constexpr std::int64_t lanes = 8;

    /// `room`: up to excess_ channels past the end may be accessed.
    template <class Body> void for_each_channel(bool room, const Body &body) const {
        const std::int64_t whole = room ? pool_.channels + excess_ : pool_.channels / lanes * lanes;
        for (std::int64_t begin = 0; begin < whole; begin += lanes) {
#pragma omp simd
            for (std::int64_t i = begin; i < begin + lanes; ++i)
                body(i);
        }
        for (std::int64_t i = whole; i < pool_.channels; ++i)
            body(i);
    }

    const Pool &pool_;
    std::int64_t excess_;   ///< by how many channels the last vector exceeds the channels
    std::int64_t elements_; ///< of the input
    std::array<std::int64_t, taps> offsets_;
};

/// Whether every element of the input is in exactly one window.
inline bool windows_tile(const Pool &pool) {
    return std::all_of(std::begin(pool.windows), std::end(pool.windows), [](const WindowBlock &window) {
        return window.kernel == window.stride && window.dilation == 1 && window.padding == 0 &&
               window.input == window.output * window.kernel;
    });
}

} // namespace pooling

/// y = the largest element of each window; -∞ if it has none.
template <class T> void max_pool(const Pool &pool, const T *x, T *y) {
    const std::int64_t channels = pool.channels;
    pooling::over_outputs(
        pool, [=](std::int64_t at) { std::fill_n(y + at * channels, channels, -std::numeric_limits<T>::infinity()); },
        [=](std::int64_t at, std::int64_t row, std::int32_t) {
            const T *from = x + row * channels;
            T *to = y + at * channels;
#pragma omp simd
            for (std::int64_t i = 0; i < channels; ++i)
                to[i] = to[i] < from[i] || from[i] != from[i] ? from[i] : to[i]; // NaN stays visible
        });
}

namespace pooling {

/// max_pool() with argmax; windows of `taps` elements are handled as a whole.
template <int taps, class T> void max_pool_of(const Pool &pool, const T *x, T *y, std::int32_t *numbers) {
    const std::int64_t channels = pool.channels;
    const WholeWindows<taps> windows(pool);
    over_outputs(
        pool, WholeWindows<taps>::fit(pool),
        [=](std::int64_t at, std::int64_t row, std::int64_t following) {
            windows.maximum(x, row, y + at * channels, numbers + at * channels, following);
        },
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

/// The gradient if windows_tile(): every element of dx is written once.
template <int taps, class T> void spread(const Pool &pool, const T *dy, const std::int32_t *numbers, T *dx) {
    const std::int64_t channels = pool.channels;
    const WholeWindows<taps> windows(pool);
    over_outputs(
        pool, true,
        [=](std::int64_t at, std::int64_t row, std::int64_t following) {
            windows.spread(dy + at * channels, numbers + at * channels, dx + row * channels, following);
        },
        [](std::int64_t) {}, [](std::int64_t, std::int64_t, std::int32_t) {});
}

} // namespace pooling

/// The same, with the argmax: the row-major number of that element within its window (the first of equal ones); -1 if
/// the window has no element.
template <class T> void max_pool(const Pool &pool, const T *x, T *y, std::int32_t *numbers) {
    if (pooling::WholeWindows<4>::fit(pool))
        pooling::max_pool_of<4>(pool, x, y, numbers);
    else
        pooling::max_pool_of<9>(pool, x, y, numbers);
}

/// dx = the sum of dy over the windows in which the element is the largest.
template <class T> void max_pool_gradient(const Pool &pool, const T *dy, const std::int32_t *numbers, T *dx) {
    if (pooling::windows_tile(pool) && pooling::WholeWindows<4>::fit(pool))
        return pooling::spread<4>(pool, dy, numbers, dx);
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

/// dx = the sum of dy over the windows that touch the element.
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
