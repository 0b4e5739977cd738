// Matrix products if only a band of an operand or of the result matters, as in masked attention.
#pragma once

#include <planrt/kernels.h>
#include <planrt/layout.h>

namespace planrt {

/// The columns of the band in any of the rows [first, first + rows) of a matrix with this many columns; begin >= end:
/// none.
[[nodiscard]] Range columns_of(const Band &band, std::int64_t first, std::int64_t rows, std::int64_t columns);

/// C = op(A) op(B) + beta C in small tiles where the bands say that C is needed; elsewhere C is beta C or the result of
/// the product. Elements of B that meet only zeros outside the band of op(A) do not affect C, even if they are NaN.
/// Returns false and does nothing if k is 0, if A is larger than the second-level cache, and on processors without AVX2
/// or with AVX-512, on which the libraries are as fast with the zeros.
[[nodiscard]] bool multiply_banded(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, const float *a,
                                   std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c,
                                   std::int64_t ldc, const Bands &bands);

} // namespace planrt
