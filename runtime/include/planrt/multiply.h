// One matrix product on the calling thread; gemm() runs it on several.
#pragma once

#include <planrt/kernels.h>

namespace planrt {

/// Like gemm(). T: float, double.
template <class T>
void multiply(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a, std::int64_t lda,
              const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc);

extern template void multiply(Op, Op, std::int64_t, std::int64_t, std::int64_t, float, const float *, std::int64_t,
                              const float *, std::int64_t, float, float *, std::int64_t);
extern template void multiply(Op, Op, std::int64_t, std::int64_t, std::int64_t, double, const double *, std::int64_t,
                              const double *, std::int64_t, double, double *, std::int64_t);

} // namespace planrt
