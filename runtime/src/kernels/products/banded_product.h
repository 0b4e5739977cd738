// Products of which a band counts, as masked attention's.
#pragma once

#include <planrt/kernels.h>
#include <planrt/layout.h>

namespace planrt {

/// Columns of the band in any of the rows [first, first + rows) of a matrix with so many columns; begin >= end: none.
[[nodiscard]] Range columns_of(const Band &band, std::int64_t first, std::int64_t rows, std::int64_t columns);

/// C = op(A) op(B) + beta C where the bands say that it counts, in small tiles; elsewhere C is beta C, or what the
/// product gives. What B holds where op(A) is zero outside of its band, be it no number, does not show in C. False, and
/// nothing is done, where k is 0 or A is large (more than the second cache holds), and on processors without AVX2 or
/// with AVX-512, whose libraries are as fast with the zeros.
[[nodiscard]] bool multiply_banded(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, const float *a,
                                   std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c,
                                   std::int64_t ldc, const Bands &bands);

} // namespace planrt
