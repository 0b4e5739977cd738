// Convolutions with 3 x 3 windows by Winograd's minimal filtering, F(2 x 2, 3 x 3) (Lavin and Gray, "Fast algorithms
// for convolutional neural networks", CVPR 2016): 2.25 times fewer multiplications than by taps. Templates, so that the
// transforms are vectorised for the processor that the program is compiled for.
//
// With d a tile of 4 x 4 positions of x, g a filter and y a tile of 2 x 2 positions, channel by channel:
//
//   y  = A' [ sum_in (G g G') * (B' d B) ] A            forward; of dy, g turned round: the input's gradient
//   dg = G' [ sum_tiles (B' d B) * (A dy A') ] G        weight gradient
//
// where * is element by element: over all channels and tiles a matrix product for each of the 16 elements. Transformed
// weights are (element, groups, in, out). Tiles are worked on in portions, whose transforms take kernel_scratch().
// Rounding is that of the direct sum (test/runtime/convolution_test).
//
//   if (winograd_pays(conv)) …                                             // convolution.h
//   winograd_prepare(ConvolutionKind::forward, conv);                      // once, at set-up
//   winograd_pack(ConvolutionKind::forward, conv, w, packed);              // winograd_weights(1, 64, 64) elements
//   winograd_convolution(conv, x, packed, y);
#pragma once

#include <planrt/convolution.h>
#include <planrt/kernels.h>
#include <planrt/parallel.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace planrt {

namespace winograd {

constexpr int tile = 2;        ///< rows and columns of y
constexpr int side = tile + 2; ///< of x
constexpr int elements = side * side;

template <std::size_t size> using Line = std::array<float, size>;
template <std::size_t size> using Square = std::array<Line<size>, size>;

// The transforms of one line, from interpolation at 0, 1, -1 and infinity.

inline Line<side> input_line(const Line<side> &d) { // B'
    return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]};
}

inline Line<side> filter_line(const Line<3> &g) { // G
    const float even = (g[0] + g[2]) / 2;
    return {g[0], even + g[1] / 2, even - g[1] / 2, g[2]};
}

inline Line<tile> output_line(const Line<side> &m) { // A'
    return {m[0] + m[1] + m[2], m[1] - m[2] - m[3]};
}

inline Line<side> output_gradient_line(const Line<tile> &dy) { // A
    return {dy[0], dy[0] + dy[1], dy[0] - dy[1], -dy[1]};
}

inline Line<3> filter_gradient_line(const Line<side> &u) { // G'
    const float even = (u[1] + u[2]) / 2;
    return {u[0] + even, (u[1] - u[2]) / 2, even + u[3]};
}

/// The transform of all columns, then of all rows.
template <auto transform, std::size_t to, std::size_t from>
[[gnu::always_inline]] inline void both_ways(const Square<from> &square, Square<to> &result) {
    std::array<Line<from>, to> half;
    for (std::size_t j = 0; j < from; ++j) {
        Line<from> column;
        for (std::size_t i = 0; i < from; ++i)
            column[i] = square[i][j];
        const Line<to> made = transform(column);
        for (std::size_t i = 0; i < to; ++i)
            half[i][j] = made[i];
    }
    for (std::size_t i = 0; i < to; ++i)
        result[i] = transform(half[i]);
}

/// The tiles of a convolution, and what lies where in a portion of them: for x and y `elements` matrices of tiles by
/// channels each.
struct Tiles {
    std::int64_t rows;    ///< in an image
    std::int64_t columns; ///< in a row
    std::int64_t count;   ///< in all
    std::int64_t portion; ///< worked on at a time, at most
    std::int64_t x_channels;
    std::int64_t y_channels;

    explicit Tiles(const Convolution &conv)
        : rows((conv.windows[0].output + tile - 1) / tile), columns((conv.windows[1].output + tile - 1) / tile),
          count(conv.batch * rows * columns), x_channels(conv.groups * conv.in), y_channels(conv.groups * conv.out) {
        constexpr std::int64_t least = 64;                            // rows of a product that runs well
        constexpr std::int64_t most_elements = std::int64_t{1} << 19; // 2 MiB: what products find in a cache again
        const std::int64_t fitting = most_elements / (elements * std::max<std::int64_t>(x_channels + y_channels, 1));
        portion = std::min(std::max(fitting / 16 * 16, least), count);
    }

    [[nodiscard]] std::int64_t x_step() const { return step(x_channels); }
    [[nodiscard]] std::int64_t y_step() const { return step(y_channels); }
    /// Elements of the matrices, and of one position outside of all images.
    [[nodiscard]] std::int64_t scratch() const {
        return elements * (x_step() + y_step()) + std::max(x_channels, y_channels);
    }

  private:
    /// Elements from one matrix to the next; no power of two, so that they share no sets of a cache.
    [[nodiscard]] std::int64_t step(std::int64_t channels) const { return (portion * channels + 15) / 16 * 16 + 48; }
};

/// The rank's blocks of one of the tensors: batch images of (height, width, channels).
template <class T> struct Images {
    T *data;
    std::int64_t height;
    std::int64_t width;
    std::int64_t channels;

    /// Pointers to the positions of a square from (row, column) on; `outside` where the image has none.
    template <std::size_t size>
    [[nodiscard]] std::array<std::array<T *, size>, size> square(std::int64_t image, std::int64_t row,
                                                                 std::int64_t column, T *outside) const {
        std::array<std::array<T *, size>, size> result;
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
template <class Body>
void for_each_tile(const Tiles &tiles, std::int64_t channels, std::int64_t begin, std::int64_t end, const Body &body) {
    parallel(begin, end, grain(channels * elements * 4), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t number = first; number < last; ++number)
            body(number - begin, number / (tiles.rows * tiles.columns), number / tiles.columns % tiles.rows * tile,
                 number % tiles.columns * tile);
    });
}

/// The transform of tiles [begin, end) of `from` x `from` positions, which begin `before` the first position of y.
template <auto transform, std::size_t from>
void to_matrices(const Tiles &tiles, std::int64_t begin, std::int64_t end, const Images<const float> &images,
                 std::int64_t before_row, std::int64_t before_column, const float *zeros, float *matrices,
                 std::int64_t step) {
    const std::int64_t channels = images.channels;
    for_each_tile(tiles, channels, begin, end,
                  [&](std::int64_t number, std::int64_t image, std::int64_t row, std::int64_t column) {
                      const auto at = images.square<from>(image, row - before_row, column - before_column, zeros);
                      float *to = matrices + number * channels;
#pragma omp simd
                      for (std::int64_t c = 0; c < channels; ++c) {
                          Square<from> square;
                          for (std::size_t i = 0; i < from; ++i)
                              for (std::size_t j = 0; j < from; ++j)
                                  square[i][j] = at[i][j][c];
                          Square<side> made;
                          both_ways<transform>(square, made);
                          for (int e = 0; e < elements; ++e)
                              to[e * step + c] = made[e / side][e % side];
                      }
                  });
}

/// y from the matrices of tiles [begin, end). What lies outside of y goes to `outside`.
inline void to_outputs(const Tiles &tiles, std::int64_t begin, std::int64_t end, const float *matrices,
                       std::int64_t step, const Images<float> &images, float *outside) {
    const std::int64_t channels = images.channels;
    for_each_tile(tiles, channels, begin, end,
                  [&](std::int64_t number, std::int64_t image, std::int64_t row, std::int64_t column) {
                      const auto at = images.square<tile>(image, row, column, outside);
                      const float *from = matrices + number * channels;
#pragma omp simd
                      for (std::int64_t c = 0; c < channels; ++c) {
                          Square<side> square;
                          for (int e = 0; e < elements; ++e)
                              square[e / side][e % side] = from[e * step + c];
                          Square<tile> made;
                          both_ways<output_line>(square, made);
                          for (std::size_t i = 0; i < tile; ++i)
                              for (std::size_t j = 0; j < tile; ++j)
                                  at[i][j][c] = made[i][j];
                      }
                  });
}

/// Where the transforms of a portion are.
struct Matrices {
    float *x;
    float *y;
    float *outside;
    explicit Matrices(const Tiles &tiles)
        : x(static_cast<float *>(kernel_scratch())), y(x + elements * tiles.x_step()),
          outside(y + elements * tiles.y_step()) {}
};

inline void transform_inputs(const Convolution &conv, const Tiles &tiles, std::int64_t begin, std::int64_t end,
                             const float *x, const Matrices &matrices) {
    std::fill_n(matrices.outside, tiles.x_channels, 0.0F);
    to_matrices<input_line, side>(tiles, begin, end, inputs(conv, x), conv.windows[0].padding, conv.windows[1].padding,
                                  matrices.outside, matrices.x, tiles.x_step());
}

/// y = x * w; `op`: how products take the transformed weights.
inline void convolve(const Convolution &conv, Op op, const float *x, const float *packed, float *y) {
    const Tiles tiles(conv);
    const Matrices matrices(tiles);
    const std::int64_t filters = conv.in * conv.out;
    for (std::int64_t begin = 0; begin < tiles.count; begin += tiles.portion) {
        const std::int64_t end = std::min(begin + tiles.portion, tiles.count);
        transform_inputs(conv, tiles, begin, end, x, matrices);
        batched_gemm(Op::plain, op,
                     {{elements, tiles.x_step(), conv.groups * filters, tiles.y_step()},
                      {conv.groups, conv.in, filters, conv.out}},
                     end - begin, conv.out, conv.in, 1.0F, matrices.x, tiles.x_channels, packed,
                     op == Op::plain ? conv.out : conv.in, 0.0F, matrices.y, tiles.y_channels);
        to_outputs(tiles, begin, end, matrices.y, tiles.y_step(), outputs(conv, y), matrices.outside);
    }
}

/// The convolution of dy that makes dx.
inline Convolution turned(const Convolution &conv) {
    Convolution result = conv;
    std::swap(result.in, result.out);
    for (WindowBlock &window : result.windows) {
        std::swap(window.input, window.output);
        window.padding = window.kernel - 1 - window.padding;
    }
    return result;
}

/// Calls body(first filter, count, block) on blocks of `filters`. `block` has their elements close to each other; the
/// matrices, often powers of two apart, share sets of a cache.
template <class Body> void in_blocks(std::int64_t filters, const Body &body) {
    constexpr std::int64_t size = 128;
    parallel(0, (filters + size - 1) / size, grain(size * elements * 4), [=](std::int64_t first, std::int64_t last) {
        std::array<Line<size>, elements> block;
        for (std::int64_t number = first; number < last; ++number)
            body(number * size, std::min(size, filters - number * size), block);
    });
}

} // namespace winograd

/// Makes kernel_scratch() large enough for this convolution. Errors: std::bad_alloc.
inline void winograd_prepare(ConvolutionKind kind, const Convolution &conv) {
    const winograd::Tiles tiles(kind == ConvolutionKind::input_gradient ? winograd::turned(conv) : conv);
    reserve_kernel_scratch(tiles.scratch() * static_cast<std::int64_t>(sizeof(float)));
}

/// Transforms w (3, 3, groups, in, out), `forward` or, turned round, for `input_gradient`.
inline void winograd_pack(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed) {
    const std::int64_t filters = conv.groups * conv.in * conv.out;
    const bool turn = kind == ConvolutionKind::input_gradient;
    winograd::in_blocks(filters, [=](std::int64_t first, std::int64_t count, auto &block) {
#pragma omp simd
        for (std::int64_t f = 0; f < count; ++f) {
            winograd::Square<3> g;
            for (int k = 0; k < 9; ++k)
                g[k / 3][k % 3] = w[(turn ? 8 - k : k) * filters + first + f];
            winograd::Square<winograd::side> made;
            winograd::both_ways<winograd::filter_line>(g, made);
            for (int e = 0; e < winograd::elements; ++e)
                block[e][f] = made[e / winograd::side][e % winograd::side];
        }
        for (int e = 0; e < winograd::elements; ++e)
            std::copy_n(block[e].data(), count, packed + e * filters + first);
    });
}

/// dw from what winograd_convolution_weight_gradient() made.
inline void winograd_unpack(const Convolution &conv, const float *packed, float *dw) {
    const std::int64_t filters = conv.groups * conv.in * conv.out;
    winograd::in_blocks(filters, [=](std::int64_t first, std::int64_t count, auto &block) {
        for (int e = 0; e < winograd::elements; ++e)
            std::copy_n(packed + e * filters + first, count, block[e].data());
#pragma omp simd
        for (std::int64_t f = 0; f < count; ++f) {
            winograd::Square<winograd::side> u;
            for (int e = 0; e < winograd::elements; ++e)
                u[e / winograd::side][e % winograd::side] = block[e][f];
            winograd::Square<3> made;
            winograd::both_ways<winograd::filter_gradient_line>(u, made);
            for (int k = 0; k < 9; ++k)
                dw[k * filters + first + f] = made[k / 3][k % 3];
        }
    });
}

/// y = x * w; `packed`: from winograd_pack() of `forward`.
inline void winograd_convolution(const Convolution &conv, const float *x, const float *packed, float *y) {
    winograd::convolve(conv, Op::plain, x, packed, y);
}

/// dx from dy and w; `packed`: from winograd_pack() of `input_gradient`.
inline void winograd_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed,
                                                float *dx) {
    winograd::convolve(winograd::turned(conv), Op::transposed, dy, packed, dx);
}

/// The transform of dw, for winograd_unpack().
inline void winograd_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy,
                                                 float *packed) {
    using winograd::elements;
    const winograd::Tiles tiles(conv);
    const winograd::Matrices matrices(tiles);
    const std::int64_t filters = conv.in * conv.out;
    if (tiles.count == 0)
        std::fill_n(packed, elements * conv.groups * filters, 0.0F);
    for (std::int64_t begin = 0; begin < tiles.count; begin += tiles.portion) {
        const std::int64_t end = std::min(begin + tiles.portion, tiles.count);
        winograd::transform_inputs(conv, tiles, begin, end, x, matrices);
        std::fill_n(matrices.outside, tiles.y_channels, 0.0F);
        winograd::to_matrices<winograd::output_gradient_line, winograd::tile>(
            tiles, begin, end, winograd::outputs(conv, dy), 0, 0, matrices.outside, matrices.y, tiles.y_step());
        batched_gemm(Op::transposed, Op::plain,
                     {{elements, tiles.x_step(), tiles.y_step(), conv.groups * filters},
                      {conv.groups, conv.in, conv.out, filters}},
                     conv.in, conv.out, end - begin, 1.0F, matrices.x, tiles.x_channels, matrices.y, tiles.y_channels,
                     begin == 0 ? 0.0F : 1.0F, packed, conv.out);
    }
}

} // namespace planrt
