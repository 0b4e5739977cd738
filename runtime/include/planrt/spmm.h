// The product of a sparse and a dense matrix on a rank's blocks. It is a template, so that its loops are vectorised for
// the processor that the program is compiled for.
//
// Shapes: A is (rows, columns), sparse by rows (CSR); x is (columns, features), y is (rows, features), dense and
// row-major, with strides between rows. Each element of y is one sum in the order of A's nonzeros, whatever the
// number of threads. Threads divide the rows so that each has about as many nonzeros.
//
//   const planrt::SparseBlock<float> a{rows, row_begin, column, nullptr, 1.0F};
//   planrt::spmm(a, 64, x, 64, y, 64, planrt::Into::assign);
#pragma once

#include <planrt/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace planrt {

/// Rows of a sparse matrix as in Pattern (pattern.h). row_begin[0] need not be 0.
template <class T> struct SparseBlock {
    std::int64_t rows = 0;
    const std::int64_t *row_begin = nullptr; ///< rows + 1
    const std::int32_t *column = nullptr;    ///< from row_begin[0] to row_begin[rows]; each is a row of x
    const T *values = nullptr;               ///< of each nonzero; null: all are `value`
    T value = 1;
};

enum class Into : std::uint8_t { assign, add };

namespace sparse {

/// A register or several: `count` numbers, a power of 2, that need not be aligned.
template <class T, int count> struct Lanes {
    typedef T type __attribute__((vector_size(count * sizeof(T))));
};

constexpr int line = 64; ///< bytes of a cache line
/// The bytes of x that are fetched ahead: several misses of the first two caches at a time.
constexpr int bytes_ahead = 4096;

/// The columns of a tile whose sums stay in registers: 64 of f32, 32 of f64.
template <class T> inline constexpr int widest = 256 / static_cast<int>(sizeof(T));

/// `width` columns of a row of y, whose nonzeros are [begin, end); `last`: the last nonzero of all rows.
template <class T, int width, bool has_values>
inline void add_row(const SparseBlock<T> &a, std::int64_t begin, std::int64_t end, std::int64_t last, const T *x,
                    std::int64_t x_stride, T *y, Into into) {
    constexpr int lanes = std::min<int>(width, line / sizeof(T));
    constexpr int registers = width / lanes;
    constexpr int ahead = std::clamp<int>(bytes_ahead / (width * static_cast<int>(sizeof(T))), 8, 32);
    using Register = typename Lanes<T, lanes>::type;
    Register sums[registers] = {};
    for (std::int64_t i = begin; i < end; ++i) {
        const char *next = reinterpret_cast<const char *>(x + a.column[std::min(i + ahead, last)] * x_stride);
#pragma GCC unroll 8
        for (int k = 0; k < width * static_cast<int>(sizeof(T)); k += line)
            __builtin_prefetch(next + k);
        const T *row = x + a.column[i] * x_stride;
#pragma GCC unroll 8
        for (int k = 0; k < registers; ++k) {
            Register values;
            std::memcpy(&values, row + k * lanes, sizeof values);
            if constexpr (has_values)
                sums[k] += a.values[i] * values;
            else
                sums[k] += values;
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < registers; ++k) {
        Register result = has_values ? sums[k] : sums[k] * a.value;
        if (into == Into::add) {
            Register before;
            std::memcpy(&before, y + k * lanes, sizeof before);
            result += before;
        }
        std::memcpy(y + k * lanes, &result, sizeof result);
    }
}

/// The columns of y from `first` on, as many of `width` at a time as there are; the rest with half the width.
template <class T, int width, bool has_values>
inline void add_columns(const SparseBlock<T> &a, std::int64_t row, std::int64_t last, std::int64_t first,
                        std::int64_t features, const T *x, std::int64_t x_stride, T *y, Into into) {
    const std::int64_t begin = a.row_begin[row];
    const std::int64_t end = a.row_begin[row + 1];
    for (; first + width <= features; first += width)
        add_row<T, width, has_values>(a, begin, end, last, x + first, x_stride, y + first, into);
    if constexpr (width > 1)
        if (first < features)
            add_columns<T, width / 2, has_values>(a, row, last, first, features, x, x_stride, y, into);
}

/// The first row before which there is at least this work: a row is worth its nonzeros and one more.
template <class T> inline std::int64_t row_at(const SparseBlock<T> &a, std::int64_t work) {
    std::int64_t low = 0;
    for (std::int64_t high = a.rows; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (a.row_begin[middle] - a.row_begin[0] + middle < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

} // namespace sparse

/// y = A x, or y = y + A x. Strides in elements, at least `features`. y does not overlap x.
template <class T>
void spmm(const SparseBlock<T> &a, std::int64_t features, const T *x, std::int64_t x_stride, T *y,
          std::int64_t y_stride, Into into) {
    if (a.rows == 0 || features == 0)
        return;
    const std::int64_t last = a.row_begin[a.rows] - 1;
    const std::int64_t work = last + 1 - a.row_begin[0] + a.rows;
    parallel(0, work, grain(features), [=](std::int64_t begin, std::int64_t end) {
        const std::int64_t end_row = sparse::row_at(a, end);
        for (std::int64_t v = sparse::row_at(a, begin); v < end_row; ++v)
            if (a.values != nullptr)
                sparse::add_columns<T, sparse::widest<T>, true>(a, v, last, 0, features, x, x_stride, y + v * y_stride,
                                                                into);
            else
                sparse::add_columns<T, sparse::widest<T>, false>(a, v, last, 0, features, x, x_stride, y + v * y_stride,
                                                                 into);
    });
}

} // namespace planrt
