// Convolutions with windows of 3 x 3 or 5 x 5 by Winograd's minimal filtering (winograd_lines.h), F(2 x 2, window x
// window), with 2.25 or 2.78 times fewer multiplications than by taps. They are templates, so that the transforms are
// vectorised for the processor that the program is compiled for.
//
// With d a tile of positions of x, g a filter and y a tile of 2 x 2 positions, channel by channel:
//
//   y  = A' [ sum_in (G g G') * (B' d B) ] A            forward; of dy, with g rotated by 180°: the input's gradient
//   dg = G' [ sum_tiles (B' d B) * (A dy A') ] G        weight gradient
//
// where * is element by element: over all channels and tiles, that is a matrix product for each of the 16 or 36
// elements. Transformed weights are (element, groups, in, out). Tiles are processed in portions, whose transforms use
// kernel_scratch(). Rounding errors are close to those of the direct sum (test/runtime/winograd_test).
//
//   if (winograd_pays(conv)) …                                             // convolution.h
//   winograd_prepare<3>(ConvolutionKind::forward, conv);                   // once, at set-up
//   winograd_pack<3>(ConvolutionKind::forward, conv, w, packed);           // winograd_weights(3, 1, 64, 64) elements
//   winograd_convolution<3>(conv, x, packed, y);
#pragma once

#include <planrt/convolution.h>
#include <planrt/kernels.h>
#include <planrt/parallel.h>
#include <planrt/winograd_lines.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace planrt {

namespace winograd {

template <int window> constexpr int side = Lines<window>::side;
template <int window> constexpr int elements = side<window> * side<window>;

template <class T, std::size_t size> using Square = std::array<Line<T, size>, size>;

/// The processor's vector of numbers.
#if defined(__AVX512F__)
constexpr std::size_t width = 16;
#elif defined(__AVX__)
constexpr std::size_t width = 8;
#else
constexpr std::size_t width = 4;
#endif
using Vector [[gnu::vector_size(width * sizeof(float))]] = float;

/// The transforms of a line, named after what they transform; see Lines.
enum class Transform : std::uint8_t { input, filter, output, output_gradient, filter_gradient };

template <Transform transform, int window, class T, std::size_t from>
[[gnu::always_inline]] inline auto transformed(const Line<T, from> &line) {
    using Of = Lines<window>;
    if constexpr (transform == Transform::input)
        return Of::input(line);
    else if constexpr (transform == Transform::filter)
        return Of::filter(line);
    else if constexpr (transform == Transform::output)
        return Of::output(line);
    else if constexpr (transform == Transform::output_gradient)
        return Of::output_gradient(line);
    else
        return Of::filter_gradient(line);
}

/// The transform of all columns, then of all rows.
template <Transform transform, int window, class T, std::size_t from, std::size_t to>
[[gnu::always_inline]] inline void both_ways(const Square<T, from> &square, Square<T, to> &result) {
    std::array<Line<T, from>, to> half;
    for (std::size_t j = 0; j < from; ++j) {
        Line<T, from> column;
        for (std::size_t i = 0; i < from; ++i)
            column[i] = square[i][j];
        const Line<T, to> made = transformed<transform, window>(column);
        for (std::size_t i = 0; i < to; ++i)
            half[i][j] = made[i];
    }
    for (std::size_t i = 0; i < to; ++i)
        result[i] = transformed<transform, window>(half[i]);
}

/// The tiles of a convolution, and the memory of a portion of them: for x and for y, a matrix of tiles by channels for
/// each element.
template <int window> struct Tiles {
    std::int64_t rows;    ///< in an image
    std::int64_t columns; ///< in a row
    std::int64_t count;   ///< in all
    std::int64_t portion; ///< the maximum processed at a time
    std::int64_t x_channels;
    std::int64_t y_channels;

    explicit Tiles(const Convolution &conv)
        : rows((conv.windows[0].output + tile - 1) / tile), columns((conv.windows[1].output + tile - 1) / tile),
          count(conv.batch * rows * columns), x_channels(conv.groups * conv.in), y_channels(conv.groups * conv.out) {
        constexpr std::int64_t least = 64;                            // rows of a product that runs well
        constexpr std::int64_t most_elements = std::int64_t{1} << 19; // 2 MiB: products find this in a cache
        const std::int64_t fitting =
            most_elements / (elements<window> * std::max<std::int64_t>(x_channels + y_channels, 1));
        portion = std::min(std::max(fitting / 16 * 16, least), count);
    }

    [[nodiscard]] std::int64_t x_step() const { return step(x_channels); }
    [[nodiscard]] std::int64_t y_step() const { return step(y_channels); }
    /// Elements of the matrices, plus one position outside all images.
    [[nodiscard]] std::int64_t scratch() const {
        return elements<window> * (x_step() + y_step()) + std::max(x_channels, y_channels);
    }

  private:
    /// The distance from one matrix to the next, in elements; not a power of two, so that they do not share cache sets.
    [[nodiscard]] std::int64_t step(std::int64_t channels) const { return (portion * channels + 15) / 16 * 16 + 48; }
};

/// Pointers to the first channels of the positions of a tile.
template <class T, std::size_t size> using Positions = std::array<std::array<T *, size>, size>;

/// The rank's blocks of one of the tensors: batch images of (height, width, channels).
template <class T> struct Images {
    T *data;
    std::int64_t height;
    std::int64_t width;
    std::int64_t channels;

    /// Pointers to the positions of a square that begins at (row, column); `outside` for positions outside the image.
    template <std::size_t size>
    [[nodiscard]] Positions<T, size> square(std::int64_t image, std::int64_t row, std::int64_t column,
                                            T *outside) const {
        Positions<T, size> result;
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j) {
                const std::int64_t r = row + static_cast<std::int64_t>(i);
                const std::int64_t c = column + static_cast<std::int64_t>(j);
                const bool inside = r >= 0 && r < height && c >= 0 && c < width;
                result[i][j] = inside ? data + ((image * height + r) * width + c) * channels : outside;
            }
        return result;
    }
};

template <class T> Images<T> inputs(const Convolution &conv, T *x) {
    return {x, conv.windows[0].input, conv.windows[1].input, conv.groups * conv.in};
}

template <class T> Images<T> outputs(const Convolution &conv, T *y) {
    return {y, conv.windows[0].output, conv.windows[1].output, conv.groups * conv.out};
}

/// Calls body(number in the portion, image, row, column of its first position of y) for tiles [begin, end).
template <int window, class Body>
void for_each_tile(const Tiles<window> &tiles, std::int64_t channels, std::int64_t begin, std::int64_t end,
                   const Body &body) {
    parallel(begin, end, grain(channels * elements<window> * 4), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t number = first; number < last; ++number)
            body(number - begin, number / (tiles.rows * tiles.columns), number / tiles.columns % tiles.rows * tile,
                 number % tiles.columns * tile);
    });
}

/// Transforms the numbers at `at`, as many as T has, into those at `result`, both offset by `channel`.
template <Transform transform, int window, class T, std::size_t from, std::size_t to>
[[gnu::always_inline]] inline void transform_channels(const Positions<const float, from> &at,
                                                      const Positions<float, to> &result, std::int64_t channel) {
    Square<T, from> square;
    for (std::size_t i = 0; i < from; ++i)
        for (std::size_t j = 0; j < from; ++j)
            std::memcpy(&square[i][j], at[i][j] + channel, sizeof(T));
    Square<T, to> made;
    both_ways<transform, window>(square, made);
    for (std::size_t i = 0; i < to; ++i)
        for (std::size_t j = 0; j < to; ++j)
            std::memcpy(result[i][j] + channel, &made[i][j], sizeof(T));
}

template <Transform transform, int window, std::size_t from, std::size_t to>
void transform_tile(const Positions<const float, from> &at, const Positions<float, to> &result, std::int64_t channels) {
    constexpr auto step = static_cast<std::int64_t>(width);
    std::int64_t channel = 0;
    for (; channel + step <= channels; channel += step)
        transform_channels<transform, window, Vector>(at, result, channel);
    for (; channel < channels; ++channel)
        transform_channels<transform, window, float>(at, result, channel);
}

/// Where the elements of a transform are, matrices `step` apart.
template <int window, class T> Positions<T, side<window>> in_matrices(T *first, std::int64_t step) {
    Positions<T, side<window>> result;
    for (int e = 0; e < elements<window>; ++e)
        result[e / side<window>][e % side<window>] = first + e * step;
    return result;
}

/// Transforms tiles [begin, end) of `from` x `from` positions, which begin `before` positions ahead of the first
/// position of y.
template <Transform transform, std::size_t from, int window>
void to_matrices(const Tiles<window> &tiles, std::int64_t begin, std::int64_t end, const Images<const float> &images,
                 std::int64_t before_row, std::int64_t before_column, const float *zeros, float *matrices,
                 std::int64_t step) {
    for_each_tile(tiles, images.channels, begin, end,
                  [&](std::int64_t number, std::int64_t image, std::int64_t row, std::int64_t column) {
                      transform_tile<transform, window>(
                          images.square<from>(image, row - before_row, column - before_column, zeros),
                          in_matrices<window>(matrices + number * images.channels, step), images.channels);
                  });
}

/// Computes y from the matrices of tiles [begin, end). Positions outside y are written to `outside`.
template <int window>
void to_outputs(const Tiles<window> &tiles, std::int64_t begin, std::int64_t end, const float *matrices,
                std::int64_t step, const Images<float> &images, float *outside) {
    for_each_tile(tiles, images.channels, begin, end,
                  [&](std::int64_t number, std::int64_t image, std::int64_t row, std::int64_t column) {
                      transform_tile<Transform::output, window>(
                          in_matrices<window>(matrices + number * images.channels, step),
                          images.square<tile>(image, row, column, outside), images.channels);
                  });
}

/// Where the transforms of a portion are.
struct Matrices {
    float *x;
    float *y;
    float *outside;
    template <int window>
    explicit Matrices(const Tiles<window> &tiles)
        : x(static_cast<float *>(kernel_scratch())), y(x + elements<window> * tiles.x_step()),
          outside(y + elements<window> * tiles.y_step()) {}
};

template <int window>
void transform_inputs(const Convolution &conv, const Tiles<window> &tiles, std::int64_t begin, std::int64_t end,
                      const float *x, const Matrices &matrices) {
    std::fill_n(matrices.outside, tiles.x_channels, 0.0F);
    to_matrices<Transform::input, side<window>>(tiles, begin, end, inputs(conv, x), conv.windows[0].padding,
                                                conv.windows[1].padding, matrices.outside, matrices.x, tiles.x_step());
}

/// y = x * w; `op`: whether products take the transformed weights transposed.
template <int window> void convolve(const Convolution &conv, Op op, const float *x, const float *packed, float *y) {
    const Tiles<window> tiles(conv);
    const Matrices matrices(tiles);
    const std::int64_t filters = conv.in * conv.out;
    for (std::int64_t begin = 0; begin < tiles.count; begin += tiles.portion) {
        const std::int64_t end = std::min(begin + tiles.portion, tiles.count);
        transform_inputs(conv, tiles, begin, end, x, matrices);
        batched_gemm(Op::plain, op,
                     {{elements<window>, tiles.x_step(), conv.groups * filters, tiles.y_step()},
                      {conv.groups, conv.in, filters, conv.out}},
                     end - begin, conv.out, conv.in, 1.0F, matrices.x, tiles.x_channels, packed,
                     op == Op::plain ? conv.out : conv.in, 0.0F, matrices.y, tiles.y_channels);
        to_outputs(tiles, begin, end, matrices.y, tiles.y_step(), outputs(conv, y), matrices.outside);
    }
}

/// The convolution of dy that computes dx.
inline Convolution turned(const Convolution &conv) {
    Convolution result = conv;
    std::swap(result.in, result.out);
    for (WindowBlock &window : result.windows) {
        std::swap(window.input, window.output);
        window.padding = window.kernel - 1 - window.padding;
    }
    return result;
}

constexpr std::int64_t block_size = 128; ///< filters

/// Calls body(first filter, count, block) on blocks of `filters`. `block` holds their elements contiguously, because
/// the matrices, often powers of two apart, share cache sets.
template <int window, class Body> void in_blocks(std::int64_t filters, const Body &body) {
    parallel(0, (filters + block_size - 1) / block_size, grain(block_size * elements<window> * 4),
             [=](std::int64_t first, std::int64_t last) {
                 std::array<Line<float, block_size>, elements<window>> block;
                 for (std::int64_t number = first; number < last; ++number)
                     body(number * block_size, std::min(block_size, filters - number * block_size), block);
             });
}

/// Pointers to the taps of the filters from `first` on, in w; `turn`: rotated by 180°.
template <int window, class T>
Positions<T, window> taps(T *w, std::int64_t filters, std::int64_t first, bool turn = false) {
    constexpr int count = window * window;
    Positions<T, window> result;
    for (int k = 0; k < count; ++k)
        result[k / window][k % window] = w + (turn ? count - 1 - k : k) * filters + first;
    return result;
}

} // namespace winograd

/// Makes kernel_scratch() large enough for this convolution. Errors: std::bad_alloc.
template <int window> void winograd_prepare(ConvolutionKind kind, const Convolution &conv) {
    const winograd::Tiles<window> tiles(kind == ConvolutionKind::input_gradient ? winograd::turned(conv) : conv);
    reserve_kernel_scratch(tiles.scratch() * static_cast<std::int64_t>(sizeof(float)));
}

/// Transforms w (window, window, groups, in, out) for `forward` or, rotated by 180°, for `input_gradient`.
template <int window> void winograd_pack(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed) {
    const std::int64_t filters = conv.groups * conv.in * conv.out;
    const bool turn = kind == ConvolutionKind::input_gradient;
    winograd::in_blocks<window>(filters, [=](std::int64_t first, std::int64_t count, auto &block) {
        winograd::transform_tile<winograd::Transform::filter, window>(
            winograd::taps<window>(w, filters, first, turn),
            winograd::in_matrices<window>(block[0].data(), winograd::block_size), count);
        for (int e = 0; e < winograd::elements<window>; ++e)
            std::copy_n(block[e].data(), count, packed + e * filters + first);
    });
}

/// dw from the result of winograd_convolution_weight_gradient().
template <int window> void winograd_unpack(const Convolution &conv, const float *packed, float *dw) {
    const std::int64_t filters = conv.groups * conv.in * conv.out;
    winograd::in_blocks<window>(filters, [=](std::int64_t first, std::int64_t count, auto &block) {
        for (int e = 0; e < winograd::elements<window>; ++e)
            std::copy_n(packed + e * filters + first, count, block[e].data());
        const float *from = block[0].data();
        winograd::transform_tile<winograd::Transform::filter_gradient, window>(
            winograd::in_matrices<window>(from, winograd::block_size), winograd::taps<window>(dw, filters, first),
            count);
    });
}

/// y = x * w; `packed`: from winograd_pack() of `forward`.
template <int window>
void winograd_convolution(const Convolution &conv, const float *x, const float *packed, float *y) {
    winograd::convolve<window>(conv, Op::plain, x, packed, y);
}

/// dx from dy and w; `packed`: from winograd_pack() of `input_gradient`.
template <int window>
void winograd_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed, float *dx) {
    winograd::convolve<window>(winograd::turned(conv), Op::transposed, dy, packed, dx);
}

/// The transform of dw, for winograd_unpack().
template <int window>
void winograd_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *packed) {
    constexpr int elements = winograd::elements<window>;
    const winograd::Tiles<window> tiles(conv);
    const winograd::Matrices matrices(tiles);
    const std::int64_t filters = conv.in * conv.out;
    if (tiles.count == 0)
        std::fill_n(packed, elements * conv.groups * filters, 0.0F);
    for (std::int64_t begin = 0; begin < tiles.count; begin += tiles.portion) {
        const std::int64_t end = std::min(begin + tiles.portion, tiles.count);
        winograd::transform_inputs(conv, tiles, begin, end, x, matrices);
        std::fill_n(matrices.outside, tiles.y_channels, 0.0F);
        winograd::to_matrices<winograd::Transform::output_gradient, winograd::tile>(
            tiles, begin, end, winograd::outputs(conv, dy), 0, 0, matrices.outside, matrices.y, tiles.y_step());
        batched_gemm(Op::transposed, Op::plain,
                     {{elements, tiles.x_step(), tiles.y_step(), conv.groups * filters},
                      {conv.groups, conv.in, conv.out, filters}},
                     conv.in, conv.out, end - begin, 1.0F, matrices.x, tiles.x_channels, matrices.y, tiles.y_channels,
                     begin == 0 ? 0.0F : 1.0F, packed, conv.out);
    }
}

} // namespace planrt
