// OpenBLAS, loaded at run time. Its choice of kernels must be settled before the library is loaded, because version
// 0.3.21 mistakes a Sapphire Rapids processor for a Prescott and then runs at a fifth of the speed.
#pragma once

#include <cstdint>

namespace planrt {

/// The part of CBLAS that the kernels use; null before load_blas().
struct Blas {
    void (*sgemm)(int order, int a_op, int b_op, int m, int n, int k, float alpha, const float *a, int lda,
                  const float *b, int ldb, float beta, float *c, int ldc) = nullptr;
    void (*dgemm)(int order, int a_op, int b_op, int m, int n, int k, double alpha, const double *a, int lda,
                  const double *b, int ldb, double beta, double *c, int ldc) = nullptr;
    /// The numbers of multiplications (m · n · k) between which oneDNN computes a product; OpenBLAS is faster outside
    /// this range. They depend only on the processor, so that two runs give the same numbers.
    std::int64_t least_for_onednn = 40 * 40 * 40;
    std::int64_t most_for_onednn = 0;
    const char *core = ""; ///< the kernels that OpenBLAS chose: "SkylakeX"
};
[[nodiscard]] const Blas &blas();

/// Whether the processor has the parts of AVX-512 that the libraries need.
[[nodiscard]] bool has_avx512();

/// The value for OPENBLAS_CORETYPE that suits this processor; null: leave the choice to OpenBLAS.
[[nodiscard]] const char *suitable_core_type();

/// Loads OpenBLAS with kernels that suit this processor (unless OPENBLAS_CORETYPE is set), and oneDNN if it is
/// installed (kernels/libraries/onednn.h); products and loops run on `threads` threads (planrt/parallel.h). Errors:
/// Failure if OpenBLAS is not installed, or if there is not enough memory for its buffers.
void load_blas(int threads);

} // namespace planrt
