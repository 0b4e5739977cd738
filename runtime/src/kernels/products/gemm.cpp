// Matrix products on CBLAS and oneDNN. A is (m, k), B (k, n), C (m, n), row-major, before their ops.
#include <planrt/kernels.h>
#include <planrt/parallel.h>

#include "kernels/libraries/blas.h"
#include "kernels/libraries/onednn.h"
#include "kernels/products/banded_product.h"
#include "support/failure.h"
#include <planrt/multiply.h>

#include <algorithm>
#include <limits>

namespace planrt {

namespace {

constexpr int row_major = 101; // CBLAS's own numbers
constexpr int no_transpose = 111;
constexpr int transpose_it = 112;

int narrow(std::int64_t number) {
    if (number > std::numeric_limits<int>::max())
        throw Failure(text("matrix product: %lld rows or columns, but OpenBLAS counts to 2147483647",
                           static_cast<long long>(number)));
    return static_cast<int>(number);
}

template <class T> auto product() {
    if constexpr (sizeof(T) == sizeof(float))
        return blas().sgemm;
    else
        return blas().dgemm;
}

template <class T> void scale(std::int64_t m, std::int64_t n, T beta, T *c, std::int64_t ldc) {
    for (std::int64_t i = 0; i < m; ++i) {
        T *row = c + i * ldc;
        if (beta == T{0}) // also where C holds no numbers yet
            std::fill(row, row + n, T{0});
        else
#pragma omp simd
            for (std::int64_t j = 0; j < n; ++j)
                row[j] *= beta;
    }
}

/// Whether oneDNN computes the product. Otherwise OpenBLAS is faster.
template <class T> bool is_for_onednn(std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::int64_t work = m * n * k;
    return sizeof(T) == sizeof(float) && onednn().sgemm != nullptr && work >= blas().least_for_onednn &&
           work <= blas().most_for_onednn;
}

/// False: oneDNN could not compute it.
template <class T>
bool multiply_by_onednn(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                        std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    if constexpr (sizeof(T) == sizeof(float)) {
        const auto letter = [](Op op) { return op == Op::plain ? 'N' : 'T'; };
        return onednn().sgemm(letter(a_op), letter(b_op), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) == 0;
    }
    return false;
}

/// oneDNN scales C element by element in a separate pass. If C is so large that no cache holds a panel of rows, it is
/// scaled in vectors, one panel at a time, and is in the cache when the product is added to it.
constexpr std::int64_t large = std::int64_t{1} << 20; // elements
constexpr std::int64_t rows_of_panel = 256;

template <class T>
void multiply_panels(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                     std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    for (std::int64_t row = 0; row < m; row += rows_of_panel) {
        const std::int64_t rows = std::min(rows_of_panel, m - row);
        scale(rows, n, beta, c + row * ldc, ldc);
        multiply(a_op, b_op, rows, n, k, alpha, a + row * (a_op == Op::plain ? lda : 1), lda, b, ldb, T{1},
                 c + row * ldc, ldc);
    }
}

/// oneDNN reads many rows of an operand at once: of B if A has few rows, of a transposed A if C is narrow. Rows that
/// are whole pages apart evict each other from the cache; fewer at a time stay in it.
constexpr std::int64_t few_rows = 128;       // of A
constexpr std::int64_t narrow_columns = 512; // of C
constexpr std::int64_t page = 4096;          // bytes

/// The part of k to process at a time.
template <class T>
std::int64_t at_once(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda,
                     std::int64_t ldb) {
    const auto are_pages_apart = [](std::int64_t ld) { return ld * static_cast<std::int64_t>(sizeof(T)) % page == 0; };
    if (b_op != Op::plain)
        return k;
    if (a_op == Op::plain)
        return m <= few_rows && k * n >= large && are_pages_apart(ldb) ? 64 : k;
    return n <= narrow_columns && m * k >= large / 4 && are_pages_apart(lda) ? 128 : k;
}

template <class T>
void multiply_in_parts(Op a_op, std::int64_t part, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                       std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    for (std::int64_t row = 0; row < k; row += part)
        multiply(a_op, Op::plain, m, n, std::min(part, k - row), alpha, a + row * (a_op == Op::plain ? 1 : lda), lda,
                 b + row * ldb, ldb, row == 0 ? beta : T{1}, c, ldc);
}

} // namespace

template <class T>
void multiply(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a, std::int64_t lda,
              const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    if (m == 0 || n == 0)
        return;
    if (k == 0)
        return scale(m, n, beta, c, ldc);
    if (is_for_onednn<T>(m, n, k)) {
        if (beta != 0 && beta != 1 && m * n >= large)
            return multiply_panels(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        if (const std::int64_t part = at_once<T>(a_op, b_op, m, n, k, lda, ldb); part < k)
            return multiply_in_parts(a_op, part, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        if (multiply_by_onednn(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
            return;
    }
    const auto cblas_op = [](Op op) { return op == Op::plain ? no_transpose : transpose_it; };
    product<T>()(row_major, cblas_op(a_op), cblas_op(b_op), narrow(m), narrow(n), narrow(k), alpha, a,
                 narrow(std::max<std::int64_t>(lda, 1)), b, narrow(std::max<std::int64_t>(ldb, 1)), beta, c,
                 narrow(std::max<std::int64_t>(ldc, 1)));
}

template void multiply(Op, Op, std::int64_t, std::int64_t, std::int64_t, float, const float *, std::int64_t,
                       const float *, std::int64_t, float, float *, std::int64_t);
template void multiply(Op, Op, std::int64_t, std::int64_t, std::int64_t, double, const double *, std::int64_t,
                       const double *, std::int64_t, double, double *, std::int64_t);

namespace {

/// The number of multiplications that is worth a thread.
constexpr std::int64_t work_of_thread = 64 * 64 * 64;
/// The approximate number of rows or columns that OpenBLAS's kernels process at a time.
constexpr std::int64_t block = 16;

/// Runs on the threads of the rank: each computes a block along the longer side of C as a separate product. OpenBLAS
/// itself runs on one thread, so that there is only one set of threads.
template <class T>
void multiply_on_threads(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                         std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    const bool rows = m >= n;
    const std::int64_t length = rows ? m : n;
    const std::int64_t blocks = (length + block - 1) / block;
    const std::int64_t grain = work_of_thread / std::max<std::int64_t>((rows ? n : m) * k * block, 1) + 1;
    parallel(0, blocks, grain, [=](std::int64_t first, std::int64_t last) {
        const std::int64_t begin = first * block;
        const std::int64_t size = std::min(last * block, length) - begin;
        if (rows)
            multiply(a_op, b_op, size, n, k, alpha, a + begin * (a_op == Op::plain ? lda : 1), lda, b, ldb, beta,
                     c + begin * ldc, ldc);
        else
            multiply(a_op, b_op, m, size, k, alpha, a, lda, b + begin * (b_op == Op::plain ? 1 : ldb), ldb, beta,
                     c + begin, ldc);
    });
}

/// The rows of a block; it is multiplied as a whole, for those columns that the bands reach.
constexpr std::int64_t rows_of_band = 128;

/// The needed part of a product, in tiles or in blocks of rows.
template <class T>
void multiply_bands(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                    std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc,
                    const Bands &bands) {
    if constexpr (sizeof(T) == sizeof(float))
        if (alpha == 1 && multiply_banded(a_op, b_op, m, n, k, a, lda, b, ldb, beta, c, ldc, bands))
            return;
    for (std::int64_t i = 0; i < m; i += rows_of_band) {
        const std::int64_t rows = std::min(rows_of_band, m - i);
        Range of_c = columns_of(bands.c, i, rows, n);
        Range of_a = columns_of(bands.a, i, rows, k);
        of_c.end = std::max(of_c.begin, of_c.end);
        of_a.end = std::max(of_a.begin, of_a.end);
        const std::int64_t p = of_a.begin;
        const std::int64_t j = of_c.begin;
        T *const c_rows = c + i * ldc;
        scale(rows, j, beta, c_rows, ldc);
        multiply(a_op, b_op, rows, of_c.end - j, of_a.end - p, alpha,
                 a_op == Op::plain ? a + i * lda + p : a + p * lda + i, lda,
                 b_op == Op::plain ? b + p * ldb + j : b + j * ldb + p, ldb, beta, c_rows + j, ldc);
        scale(rows, n - of_c.end, beta, c_rows + of_c.end, ldc);
    }
}

/// The beginnings of the matrices for product number `i`.
struct Place {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

Place place_of(std::int64_t i, std::initializer_list<BatchLoop> batch) {
    Place place;
    for (std::size_t d = batch.size(); d-- > 0;) {
        const BatchLoop &loop = batch.begin()[d];
        place.a += i % loop.count * loop.a;
        place.b += i % loop.count * loop.b;
        place.c += i % loop.count * loop.c;
        i /= loop.count;
    }
    return place;
}

template <class T>
void multiply_batch(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                    std::int64_t k, T alpha, const T *a, std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c,
                    std::int64_t ldc, const Bands &bands) {
    std::int64_t products = 1;
    for (const BatchLoop &loop : batch)
        products *= loop.count;
    const std::int64_t grain = work_of_thread / std::max<std::int64_t>(m * n * k, 1) + 1;
    const bool has_bands = bands.a != Band() || bands.c != Band();
    parallel(0, products, grain, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Place at = place_of(i, batch);
            if (has_bands)
                multiply_bands(a_op, b_op, m, n, k, alpha, a + at.a, lda, b + at.b, ldb, beta, c + at.c, ldc, bands);
            else
                multiply(a_op, b_op, m, n, k, alpha, a + at.a, lda, b + at.b, ldb, beta, c + at.c, ldc);
        }
    });
}

} // namespace

void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
          std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc) {
    multiply_on_threads(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double *a,
          std::int64_t lda, const double *b, std::int64_t ldb, double beta, double *c, std::int64_t ldc) {
    multiply_on_threads(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float *a, std::int64_t lda, const float *b, std::int64_t ldb,
                  float beta, float *c, std::int64_t ldc, const Bands &bands) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, bands);
}

void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double *a, std::int64_t lda, const double *b, std::int64_t ldb,
                  double beta, double *c, std::int64_t ldc, const Bands &bands) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, bands);
}

} // namespace planrt
