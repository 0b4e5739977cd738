// C is made in tiles of 6 x 16 numbers, which are 12 of AVX2's 16 registers; B is packed in panels of 16 columns, A
// read where it lies. A row of tiles leaves out what all its rows of A leave out.
#include "kernels/banded_product.h"

#include "kernels/blas.h"

#include <algorithm>
#include <array>
#include <span>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace planrt {

namespace {

constexpr int tile_rows = 6;
constexpr int tile_columns = 16;
constexpr int vector = 8;                                   ///< numbers of a register
constexpr std::int64_t most_of_a = std::int64_t{64} * 1024; ///< numbers
constexpr std::int64_t most_k = 512;                        ///< a panel of B stays in the first cache
constexpr std::int64_t most_m = 1536;

/// From the first to behind the last column with numbers other than zero; begin >= end: none.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

#if defined(__x86_64__)

#define PLANRT_AVX2 [[gnu::target("avx2,fma")]]

/// Eight columns of some rows, of either sign.
PLANRT_AVX2 bool are_zero(const float *first, std::int64_t rows, std::int64_t stride) {
    __m256 bits = _mm256_loadu_ps(first);
    for (std::int64_t r = 1; r < rows; ++r)
        bits = _mm256_or_ps(bits, _mm256_loadu_ps(first + r * stride));
    return _mm256_testz_si256(_mm256_castps_si256(bits), _mm256_set1_epi32(0x7fffffff)) != 0;
}

/// Of some rows together, in whole vectors from both ends.
PLANRT_AVX2 Range numbers_of(const float *first, std::int64_t rows, std::int64_t stride, std::int64_t columns) {
    constexpr std::int64_t line = 16;
    for (std::int64_t r = rows; r < 2 * rows; ++r) // what is read next: processors do not foresee that
        for (std::int64_t j = 0; j < columns; j += line)
            __builtin_prefetch(first + r * stride + j);
    Range range{0, columns};
    while (range.end >= vector && are_zero(first + range.end - vector, rows, stride))
        range.end -= vector;
    while (range.begin + vector <= range.end && are_zero(first + range.begin, rows, stride))
        range.begin += vector;
    return range;
}

/// The columns of op(A) that each row of tiles needs; returns how many in all.
std::int64_t find_bands(Op a_op, std::int64_t m, std::int64_t k, const float *a, std::int64_t lda,
                        std::span<Range> bands) {
    const auto tile = [&](std::int64_t i) -> Range & { return bands[static_cast<std::size_t>(i)]; };
    const auto tiles = static_cast<std::int64_t>(bands.size());
    if (a_op == Op::plain) {
        for (std::int64_t i = 0; i < tiles; ++i)
            tile(i) = numbers_of(a + i * tile_rows * lda, std::min<std::int64_t>(tile_rows, m - i * tile_rows), lda, k);
    } else {
        std::fill(bands.begin(), bands.end(), Range{k, 0});
        constexpr std::int64_t together = 4;
        for (std::int64_t p = 0; p < k; p += together) {
            const std::int64_t rows = std::min(together, k - p);
            const Range range = numbers_of(a + p * lda, rows, lda, m);
            for (std::int64_t i = range.begin / tile_rows; i * tile_rows < range.end; ++i)
                tile(i) = {std::min(tile(i).begin, p), p + rows};
        }
    }
    std::int64_t needed = 0;
    for (Range &band : bands) {
        band.begin = std::min(band.begin, band.end);
        needed += band.end - band.begin;
    }
    return needed;
}

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

/// Of `rows` rows of op(A), of which `a` is the first number, and a panel of B: k numbers of each.
template <Op op, int rows>
PLANRT_AVX2 void make_tile(std::int64_t k, const float *a, std::int64_t lda, const float *panel, float beta, float *c,
                           std::int64_t ldc, std::int64_t columns) {
    __m256 low[rows];
    __m256 high[rows];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
        low[r] = high[r] = _mm256_setzero_ps();
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

void pack(std::int64_t k, const float *b, std::int64_t ldb, std::int64_t columns, float *panel) {
    if (columns == tile_columns) {
        for (std::int64_t p = 0; p < k; ++p) {
            __builtin_prefetch(b + (p + 16) * ldb); // rows far apart, which the processor does not foresee
            std::copy_n(b + p * ldb, tile_columns, panel + p * tile_columns);
        }
        return;
    }
    for (std::int64_t p = 0; p < k; ++p) {
        float *const to = panel + p * tile_columns;
        std::copy_n(b + p * ldb, columns, to);
        std::fill_n(to + columns, tile_columns - columns, 0.0F);
    }
}

/// Whether this kernel is faster on the processor than the libraries'.
bool suits_processor() {
    static const bool suits = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !has_avx512();
    return suits;
}

#endif

} // namespace

bool multiply_banded([[maybe_unused]] Op a_op, [[maybe_unused]] std::int64_t m, [[maybe_unused]] std::int64_t n,
                     [[maybe_unused]] std::int64_t k, [[maybe_unused]] const float *a,
                     [[maybe_unused]] std::int64_t lda, [[maybe_unused]] const float *b,
                     [[maybe_unused]] std::int64_t ldb, [[maybe_unused]] float beta, [[maybe_unused]] float *c,
                     [[maybe_unused]] std::int64_t ldc) {
#if defined(__x86_64__)
    const auto last = [&](std::int64_t i, std::int64_t p) {
        return a_op == Op::plain ? a[i * lda + p] : a[p * lda + i];
    };
    // A band leaves a corner out: others need no second look.
    if (!suits_processor() || m * k > most_of_a || k > most_k || m > most_m ||
        (last(0, k - 1) != 0 && last(m - 1, 0) != 0))
        return false;
    std::array<Range, most_m / tile_rows> all_bands;
    const std::span bands(all_bands.data(), static_cast<std::size_t>((m + tile_rows - 1) / tile_rows));
    if (4 * find_bands(a_op, m, k, a, lda, bands) > 3 * k * static_cast<std::int64_t>(bands.size()))
        return false;
    alignas(64) std::array<float, most_k * tile_columns> panel;
    for (std::int64_t j = 0; j < n; j += tile_columns) {
        const std::int64_t columns = std::min<std::int64_t>(tile_columns, n - j);
        pack(k, b + j, ldb, columns, panel.data());
        for (std::int64_t i = 0; i < m; i += tile_rows) {
            const Range band = bands[static_cast<std::size_t>(i / tile_rows)];
            const std::int64_t rows = std::min<std::int64_t>(tile_rows, m - i);
            const float *const b_band = panel.data() + band.begin * tile_columns;
            if (a_op == Op::plain)
                make_tile_of<Op::plain>(rows, band.end - band.begin, a + i * lda + band.begin, lda, b_band, beta,
                                        c + i * ldc + j, ldc, columns);
            else
                make_tile_of<Op::transposed>(rows, band.end - band.begin, a + band.begin * lda + i, lda, b_band, beta,
                                             c + i * ldc + j, ldc, columns);
        }
    }
    return true;
#else
    return false;
#endif
}

} // namespace planrt
