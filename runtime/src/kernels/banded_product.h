// Products with a matrix whose rows begin or end in zeros, as the weights of masked attention and their gradients do.
#pragma once

#include <planrt/kernels.h>

namespace planrt {

/// C = op(A) B + beta C as gemm() computes it, without the multiplications by the zeros that the rows of op(A) begin
/// and end with: what B holds there, be it no number, does not show in C. False, and nothing is done, where they are
/// less than a quarter of op(A), where A is large (more than the second cache holds), and on processors without AVX2
/// or with AVX-512, whose libraries are as fast with the zeros.
[[nodiscard]] bool multiply_banded(Op a_op, std::int64_t m, std::int64_t n, std::int64_t k, const float *a,
                                   std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c,
                                   std::int64_t ldc);

} // namespace planrt
