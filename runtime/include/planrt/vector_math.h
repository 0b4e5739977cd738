// Lets g++ vectorise loops that call exp, log, tanh, erf, …: glibc's libmvec has them for whole vectors, within 4 units
// in the last place, but its headers say so under -ffast-math only. Takes effect with -fno-math-errno.
#pragma once

#include <cmath>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)

#define PLANRT_VECTOR __attribute__((simd("notinbranch")))

extern "C" {
PLANRT_VECTOR float expf(float) noexcept;
PLANRT_VECTOR double exp(double) noexcept;
PLANRT_VECTOR float logf(float) noexcept;
PLANRT_VECTOR double log(double) noexcept;
PLANRT_VECTOR float log1pf(float) noexcept;
PLANRT_VECTOR double log1p(double) noexcept;
PLANRT_VECTOR float tanhf(float) noexcept;
PLANRT_VECTOR double tanh(double) noexcept;
PLANRT_VECTOR float erff(float) noexcept;
PLANRT_VECTOR double erf(double) noexcept;
PLANRT_VECTOR float sinf(float) noexcept;
PLANRT_VECTOR double sin(double) noexcept;
PLANRT_VECTOR float cosf(float) noexcept;
PLANRT_VECTOR double cos(double) noexcept;
PLANRT_VECTOR float powf(float, float) noexcept;
PLANRT_VECTOR double pow(double, double) noexcept;
}

#undef PLANRT_VECTOR

#endif
#endif
