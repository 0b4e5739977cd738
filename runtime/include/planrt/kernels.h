// The kernels that steps call. Tensors are dense and row-major; letters in parentheses are extents, in that order.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>

namespace planrt {

/// C (m, n) = alpha * op(A) (m, k) * op(B) (k, n) + beta * C; row-major; lda, ldb, ldc are row strides in elements. If
/// m or n is 0, nothing happens; if k is 0, C is scaled by beta.
enum class Op : std::uint8_t { plain, transposed };
void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
          std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc);
void gemm(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double *a,
          std::int64_t lda, const double *b, std::int64_t ldb, double beta, double *c, std::int64_t ldc);

/// A loop around matrix products: its count, and the strides in elements from one A, B and C to the next.
struct BatchLoop {
    std::int64_t count = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// The elements (i, j) of a matrix with lower <= j - i <= upper.
struct Band {
    std::int64_t lower = std::numeric_limits<std::int64_t>::min();
    std::int64_t upper = std::numeric_limits<std::int64_t>::max();
    friend bool operator==(const Band &, const Band &) = default;
};

/// The parts of a product that matter, as in causal attention.
struct Bands {
    Band a = {}; ///< op(A) is zero outside
    Band c = {}; ///< outside, C is not needed: some of its elements are just beta * C
};

/// A product for every combination of the loops `batch`; no two products share elements of C.
void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float *a, std::int64_t lda, const float *b, std::int64_t ldb,
                  float beta, float *c, std::int64_t ldc, const Bands &bands = {});
void batched_gemm(Op a_op, Op b_op, std::initializer_list<BatchLoop> batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double *a, std::int64_t lda, const double *b, std::int64_t ldb,
                  double beta, double *c, std::int64_t ldc, const Bands &bands = {});

/// Permutes dimensions: `to`, dense, has extents[permutation[0]], extents[permutation[1]], …; `from` is dense with
/// `extents`.
void transpose(const float *from, std::span<const std::int64_t> extents, std::span<const int> permutation, float *to);
void transpose(const double *from, std::span<const std::int64_t> extents, std::span<const int> permutation, double *to);
void transpose(const std::int32_t *from, std::span<const std::int64_t> extents, std::span<const int> permutation,
               std::int32_t *to);

/// Rows of a table: to (count, before, after) = table (before, rows, after) at row indices[i] - first; 0 where the
/// table has no such row.
void embedding(const std::int32_t *indices, std::int64_t count, const float *table, std::int64_t before,
               std::int64_t rows, std::int64_t after, std::int64_t first, float *to);
void embedding(const std::int32_t *indices, std::int64_t count, const double *table, std::int64_t before,
               std::int64_t rows, std::int64_t after, std::int64_t first, double *to);

/// The table's gradient: to (before, rows, after) at row r = the sum of gradient (count, before, after) over the i with
/// indices[i] - first = r.
void embedding_gradient(const std::int32_t *indices, std::int64_t count, const float *gradient, std::int64_t before,
                        std::int64_t rows, std::int64_t after, std::int64_t first, float *to);
void embedding_gradient(const std::int32_t *indices, std::int64_t count, const double *gradient, std::int64_t before,
                        std::int64_t rows, std::int64_t after, std::int64_t first, double *to);

/// Copies `rows` rows of `length` elements; strides in elements. `to` and `from` do not overlap.
void copy_rows(std::int64_t rows, std::int64_t length, const float *from, std::int64_t from_stride, float *to,
               std::int64_t to_stride);
void copy_rows(std::int64_t rows, std::int64_t length, const double *from, std::int64_t from_stride, double *to,
               std::int64_t to_stride);
void copy_rows(std::int64_t rows, std::int64_t length, const std::int32_t *from, std::int64_t from_stride,
               std::int32_t *to, std::int64_t to_stride);

} // namespace planrt
