// C is computed in tiles of 6 x 16 numbers, which occupy 12 of AVX2's 16 registers. B is packed in panels of 16
// columns; A is read in place. Tiles outside C's band are skipped, and in the others whatever is zero in all their rows
// of A.
#include "kernels/products/banded_product.h"

#include "kernels/libraries/blas.h"

#include <algorithm>
#include <array>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace planrt {

namespace {

constexpr int tile_rows = 6;
constexpr int tile_columns = 16;
constexpr int vector = 8;                                    ///< numbers of a register
constexpr std::int64_t most_of_a = std::int64_t{64} * 1024;  ///< numbers
constexpr std::int64_t most_packed = std::int64_t{8} * 1024; ///< numbers of B: they stay in the first cache
constexpr std::int64_t most_k = most_packed / tile_columns;

#if defined(__x86_64__)

#define PLANRT_AVX2 [[gnu::target("avx2,fma")]]

PLANRT_AVX2 [[gnu::always_inline]] inline void store_line(__m256 low, __m256 high, float beta, float *c,
                                                          std::int64_t columns) {
    if (columns == tile_columns) {
        if (beta != 0) {
            low = _mm256_fmadd_ps(_mm256_set1_ps(beta), _mm256_loadu_ps(c), low);
            high = _mm256_fmadd_ps(_mm256_set1_ps(beta), _mm256_loadu_ps(c + vector), high);
        }
        _mm256_storeu_ps(c, low);
        _mm256_storeu_ps(c + vector, high);
        return;
    }
    std::array<float, tile_columns> line{};
    _mm256_storeu_ps(line.data(), low);
    _mm256_storeu_ps(line.data() + vector, high);
    for (std::int64_t j = 0; j < columns; ++j)
        c[j] = beta == 0 ? line[static_cast<std::size_t>(j)] : line[static_cast<std::size_t>(j)] + beta * c[j];
}

/// The product of `rows` rows of op(A), starting at `a`, and a panel of B, with k numbers each.
template <Op op, int rows>
PLANRT_AVX2 void make_tile(std::int64_t k, const float *a, std::int64_t lda, const float *panel, float beta, float *c,
                           std::int64_t ldc, std::int64_t columns) {
    __m256 low[rows];
    __m256 high[rows];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
        low[r] = high[r] = _mm256_setzero_ps();
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
        __builtin_prefetch(c + r * ldc, 1);
#pragma GCC unroll 4
    for (std::int64_t p = 0; p < k; ++p) {
        const __m256 b_low = _mm256_load_ps(panel);
        const __m256 b_high = _mm256_load_ps(panel + vector);
        panel += tile_columns;
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const __m256 of_a = _mm256_broadcast_ss(a + r * (op == Op::plain ? lda : 1));
            low[r] = _mm256_fmadd_ps(of_a, b_low, low[r]);
            high[r] = _mm256_fmadd_ps(of_a, b_high, high[r]);
        }
        a += op == Op::plain ? 1 : lda;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
        store_line(low[r], high[r], beta, c + r * ldc, columns);
}

template <Op op, int rows = tile_rows>
void make_tile_of(std::int64_t count, std::int64_t k, const float *a, std::int64_t lda, const float *panel, float beta,
                  float *c, std::int64_t ldc, std::int64_t columns) {
    if (count == rows)
        make_tile<op, rows>(k, a, lda, panel, beta, c, ldc, columns);
    else if constexpr (rows > 1)
        make_tile_of<op, rows - 1>(count, k, a, lda, panel, beta, c, ldc, columns);
}

/// Writes eight rows of eight numbers as columns.
PLANRT_AVX2 void transpose_block(const float *from, std::int64_t stride, float *to, std::int64_t to_stride) {
    __m256 rows[vector];
    __m256 pairs[vector];
    for (int i = 0; i < vector; ++i)
        rows[i] = _mm256_loadu_ps(from + i * stride);
    for (int i = 0; i < vector; i += 2) { // 2 x 2 blocks
        pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < vector; i += 4) // 4 x 4 blocks
        for (int half = 0; half < 2; ++half) {
            rows[i + 2 * half] = _mm256_shuffle_ps(pairs[i + half], pairs[i + 2 + half], 0x44);
            rows[i + 2 * half + 1] = _mm256_shuffle_ps(pairs[i + half], pairs[i + 2 + half], 0xee);
        }
    for (int i = 0; i < vector / 2; ++i) {
        _mm256_store_ps(to + i * to_stride, _mm256_permute2f128_ps(rows[i], rows[i + 4], 0x20));
        _mm256_store_ps(to + (i + 4) * to_stride, _mm256_permute2f128_ps(rows[i], rows[i + 4], 0x31));
    }
}

/// Packs `columns` columns of op(B), starting at `b`, padded with zeros.
void pack(Op b_op, std::int64_t k, const float *b, std::int64_t ldb, std::int64_t columns, float *panel) {
    if (columns < tile_columns)
        std::fill_n(panel, k * tile_columns, 0.0F);
    if (b_op == Op::transposed) {
        const std::int64_t whole = columns == tile_columns ? k - k % vector : 0;
        for (std::int64_t p = 0; p < whole; p += vector)
            for (std::int64_t j = 0; j < tile_columns; j += vector)
                transpose_block(b + j * ldb + p, ldb, panel + p * tile_columns + j, tile_columns);
        for (std::int64_t j = 0; j < columns; ++j)
            for (std::int64_t p = whole; p < k; ++p)
                panel[p * tile_columns + j] = b[j * ldb + p];
        return;
    }
    for (std::int64_t p = 0; p < k; ++p) {
        __builtin_prefetch(b + (p + 16) * ldb); // rows far apart, which the processor does not foresee
        std::copy_n(b + p * ldb, columns, panel + p * tile_columns);
    }
}

/// Of the columns `all`, which begin with a panel, the panels that contain columns of the band in these rows.
Range panels_of(const Band &band, std::int64_t first, std::int64_t rows, std::int64_t n, Range all, bool any) {
    const Range needed = columns_of(band, first, rows, n);
    const std::int64_t begin = std::clamp(needed.begin - needed.begin % tile_columns, all.begin, all.end);
    const std::int64_t whole = (needed.end + tile_columns - 1) / tile_columns * tile_columns;
    return {begin, any ? std::clamp(whole, begin, all.end) : begin};
}

void scale_rows(std::int64_t rows, Range columns, float beta, float *c, std::int64_t ldc) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float *const from = c + r * ldc + columns.begin;
        if (beta == 0)
            std::fill_n(from, columns.size(), 0.0F); // also if C does not contain numbers yet
        else
            std::transform(from, from + columns.size(), from, [=](float x) { return beta * x; });
    }
}

/// Whether this kernel is faster on the processor than those of the libraries.
bool suits_processor() {
    static const bool suits = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !has_avx512();
    return suits;
}

#endif

} // namespace

Range columns_of(const Band &band, std::int64_t first, std::int64_t rows, std::int64_t columns) {
    const std::int64_t last = first + rows - 1;
    const std::int64_t begin = band.lower <= -first ? 0 : first + band.lower; // where nothing overflows
    const std::int64_t end = band.upper >= columns - last ? columns : std::max<std::int64_t>(last + band.upper + 1, 0);
    return {std::min(begin, columns), end};
}

bool multiply_banded([[maybe_unused]] Op a_op, [[maybe_unused]] Op b_op, [[maybe_unused]] std::int64_t m,
                     [[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t k, [[maybe_unused]] const float *a,
                     [[maybe_unused]] std::int64_t lda, [[maybe_unused]] const float *b,
                     [[maybe_unused]] std::int64_t ldb, [[maybe_unused]] float beta, [[maybe_unused]] float *c,
                     [[maybe_unused]] std::int64_t ldc, [[maybe_unused]] const Bands &bands) {
#if defined(__x86_64__)
    if (!suits_processor() || k == 0 || k > most_k || m * k > most_of_a)
        return false;
    alignas(64) std::array<float, most_packed> panels;
    const std::int64_t at_once = most_packed / (k * tile_columns) * tile_columns;
    for (std::int64_t first = 0; first < n; first += at_once) {
        const std::int64_t end = std::min(first + at_once, n);
        for (std::int64_t j = first; j < end; j += tile_columns)
            pack(b_op, k, b_op == Op::plain ? b + j : b + j * ldb, ldb, std::min<std::int64_t>(tile_columns, n - j),
                 panels.data() + (j - first) * k);
        for (std::int64_t i = 0; i < m; i += tile_rows) {
            const std::int64_t rows = std::min<std::int64_t>(tile_rows, m - i);
            const Range band = columns_of(bands.a, i, rows, k);
            const Range needed = panels_of(bands.c, i, rows, n, {first, end}, band.begin < band.end);
            float *const c_rows = c + i * ldc;
            scale_rows(rows, {first, needed.begin}, beta, c_rows, ldc);
            scale_rows(rows, {needed.end, end}, beta, c_rows, ldc);
            for (std::int64_t j = needed.begin; j < needed.end; j += tile_columns) {
                const std::int64_t columns = std::min<std::int64_t>(tile_columns, n - j);
                const float *const b_band = panels.data() + (j - first) * k + band.begin * tile_columns;
                if (a_op == Op::plain)
                    make_tile_of<Op::plain>(rows, band.end - band.begin, a + i * lda + band.begin, lda, b_band, beta,
                                            c_rows + j, ldc, columns);
                else
                    make_tile_of<Op::transposed>(rows, band.end - band.begin, a + band.begin * lda + i, lda, b_band,
                                                 beta, c_rows + j, ldc, columns);
            }
        }
    }
    return true;
#else
    return false;
#endif
}

} // namespace planrt
