// Matrix products on CBLAS. A is (m, k), B (k, n), C (m, n), row-major, before their ops.
#include <planrt/planrt.h>

#include "kernels/blas.h"
#include "support/failure.h"

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
            std::transform(row, row + n, row, [beta](T value) { return beta * value; });
    }
}

template <class T>
void multiply(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a, std::int64_t lda,
              const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    if (m == 0 || n == 0)
        return;
    if (k == 0)
        return scale(m, n, beta, c, ldc);
    const auto cblas_op = [](Op op) { return op == Op::plain ? no_transpose : transpose_it; };
    product<T>()(row_major, cblas_op(a_op), cblas_op(b_op), narrow(m), narrow(n), narrow(k), alpha, a,
                 narrow(std::max<std::int64_t>(lda, 1)), b, narrow(std::max<std::int64_t>(ldb, 1)), beta, c,
                 narrow(std::max<std::int64_t>(ldc, 1)));
}

template <class T>
void multiply_batch(Op a_op, Op b_op, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                    const T *a, std::int64_t lda, std::int64_t a_stride, const T *b, std::int64_t ldb,
                    std::int64_t b_stride, T beta, T *c, std::int64_t ldc, std::int64_t c_stride) {
    for (std::int64_t i = 0; i < batch; ++i)
        multiply(a_op, b_op, m, n, k, alpha, a + i * a_stride, lda, b + i * b_stride, ldb, beta, c + i * c_stride, ldc);
}

} // namespace

void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
          std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc) {
    multiply(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double *a,
          std::int64_t lda, const double *b, std::int64_t ldb, double beta, double *c, std::int64_t ldc) {
    multiply(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void batched_gemm(Op a_op, Op b_op, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                  const float *a, std::int64_t lda, std::int64_t a_stride, const float *b, std::int64_t ldb,
                  std::int64_t b_stride, float beta, float *c, std::int64_t ldc, std::int64_t c_stride) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, ldc, c_stride);
}

void batched_gemm(Op a_op, Op b_op, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
                  const double *a, std::int64_t lda, std::int64_t a_stride, const double *b, std::int64_t ldb,
                  std::int64_t b_stride, double beta, double *c, std::int64_t ldc, std::int64_t c_stride) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, ldc, c_stride);
}

} // namespace planrt
