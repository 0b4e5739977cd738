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
    const std::int32_t *needed = nullptr; ///< the index of each row of x in the whole x; null: they follow one another
};

enum class Into : std::uint8_t { assign, add };

namespace sparse {

/// `count` numbers in a register; a power of 2.
template <class T, int count> struct Lanes {
    typedef T type __attribute__((vector_size(count * sizeof(T))));
};

template <class T> struct Lanes<T, 1> {
    typedef T type; // g++ moves vectors of one number through memory
};

/// Of a vector register. g++ handles longer vectors, but moves them through memory.
#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
constexpr int registers_of_sums = 8; ///< half of those that a processor without AVX-512 has

/// The columns of a tile: 64 of f32, or as many as the registers take.
template <class T>
inline constexpr int widest = std::min(256, registers_of_sums *register_bytes) / static_cast<int>(sizeof(T));
/// The same of each tile of a pair.
template <class T>
inline constexpr int widest_of_pair = registers_of_sums * register_bytes / 2 / static_cast<int>(sizeof(T));

constexpr int line = 64; ///< bytes of a cache line
/// The bytes of x that are fetched ahead, in whole rows.
constexpr int bytes_ahead = 4096;

/// Begins to load `width` numbers.
template <class T, int width> inline void fetch(const T *x) {
#pragma GCC unroll 8
    for (int k = 0; k < width * static_cast<int>(sizeof(T)); k += line)
        __builtin_prefetch(reinterpret_cast<const char *>(x) + k);
}

/// A tile of `width` columns of one row of y, whose nonzeros are [begin, end); of a pair, another tile `second` columns
/// further on. Tiles of a pair may overlap: both compute the same there. `last`: the last nonzero of all rows.
template <class T, int width, bool pair, bool has_values>
inline void add_tiles(const SparseBlock<T> &a, std::int64_t begin, std::int64_t end, std::int64_t last, const T *x,
                      std::int64_t x_stride, T *y, std::int64_t second, Into into) {
    constexpr int lanes = std::min<int>(width, register_bytes / sizeof(T));
    constexpr int registers = width / lanes; // of a tile
    constexpr int all = pair ? 2 * registers : registers;
    constexpr int ahead = std::clamp<int>(bytes_ahead / (width * static_cast<int>(sizeof(T))), 8, 32);
    using Register = typename Lanes<T, lanes>::type;
    const auto offset = [second](int k) { return k < registers ? k * lanes : second + (k - registers) * lanes; };
    Register sums[all] = {};
    for (std::int64_t i = begin; i < end; ++i) {
        const T *next = x + a.column[std::min(i + ahead, last)] * x_stride;
        fetch<T, width>(next);
        if constexpr (pair && width * sizeof(T) >= line)
            fetch<T, width>(next + second);
        const T *row = x + a.column[i] * x_stride;
#pragma GCC unroll 8
        for (int k = 0; k < all; ++k) {
            Register values;
            std::memcpy(&values, row + offset(k), sizeof values);
            if constexpr (has_values)
                sums[k] += a.values[i] * values;
            else
                sums[k] += values;
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < all; ++k) { // all of them before y changes
        if constexpr (!has_values)
            sums[k] *= a.value;
        if (into == Into::add) {
            Register before;
            std::memcpy(&before, y + offset(k), sizeof before);
            sums[k] += before;
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < all; ++k)
        std::memcpy(y + offset(k), &sums[k], sizeof sums[k]);
}

/// The last `count` columns of a row of y, fewer than twice `width`: a tile or a pair of half as many columns or more.
template <class T, int width, bool has_values>
inline void add_rest(const SparseBlock<T> &a, std::int64_t begin, std::int64_t end, std::int64_t last,
                     std::int64_t count, const T *x, std::int64_t x_stride, T *y, Into into) {
    if (count > width)
        add_tiles<T, width, true, has_values>(a, begin, end, last, x, x_stride, y, count - width, into);
    else if (count == width)
        add_tiles<T, width, false, has_values>(a, begin, end, last, x, x_stride, y, 0, into);
    else if constexpr (width > 1)
        add_rest<T, width / 2, has_values>(a, begin, end, last, count, x, x_stride, y, into);
}

template <class T, bool has_values>
inline void add_row(const SparseBlock<T> &a, std::int64_t row, std::int64_t last, std::int64_t features, const T *x,
                    std::int64_t x_stride, T *y, Into into) {
    const std::int64_t begin = a.row_begin[row];
    const std::int64_t end = a.row_begin[row + 1];
    std::int64_t first = 0;
    for (; features - first >= 2 * widest_of_pair<T>; first += widest<T>)
        add_tiles<T, widest<T>, false, has_values>(a, begin, end, last, x + first, x_stride, y + first, 0, into);
    add_rest<T, widest_of_pair<T>, has_values>(a, begin, end, last, features - first, x + first, x_stride, y + first,
                                               into);
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
                sparse::add_row<T, true>(a, v, last, features, x, x_stride, y + v * y_stride, into);
            else
                sparse::add_row<T, false>(a, v, last, features, x, x_stride, y + v * y_stride, into);
    });
}

} // namespace planrt
