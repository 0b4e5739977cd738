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
void multiply_batch(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                    std::int64_t k, T alpha, const T *a, std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c,
                    std::int64_t ldc) {
    std::int64_t products = 1;
    for (const BatchLoop &loop : batch)
        products *= loop.count;
    for (std::int64_t i = 0; i < products; ++i) {
        std::int64_t rest = i;
        std::int64_t at_a = 0;
        std::int64_t at_b = 0;
        std::int64_t at_c = 0;
        for (std::size_t d = batch.size(); d-- > 0;) {
            const BatchLoop &loop = batch.begin()[d];
            at_a += rest % loop.count * loop.a;
            at_b += rest % loop.count * loop.b;
            at_c += rest % loop.count * loop.c;
            rest /= loop.count;
        }
        multiply(a_op, b_op, m, n, k, alpha, a + at_a, lda, b + at_b, ldb, beta, c + at_c, ldc);
    }
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

void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float *a, std::int64_t lda, const float *b, std::int64_t ldb,
                  float beta, float *c, std::int64_t ldc) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double *a, std::int64_t lda, const double *b, std::int64_t ldb,
                  double beta, double *c, std::int64_t ldc) {
    multiply_batch(a_op, b_op, batch, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

} // namespace planrt
