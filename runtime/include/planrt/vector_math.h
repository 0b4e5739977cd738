// Lets g++ vectorise loops that call exp, log, tanh, erf, …. glibc's libmvec has vector versions, accurate to 4 units
// in the last place, but its headers declare them only under -ffast-math. This takes effect with -fno-math-errno;
// without AVX-512's masks, loops with conditions also need -fno-trapping-math, which changes no result.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

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

namespace planrt {

/// e^x within 2 units in the last place, branch-free; libmvec's version leaves the vector loop if x is out of range, as
/// masked scores of attention are. Results below the smallest normal number are 0. Range reduction and polynomial:
/// Moshier 1992 (Cephes, expf).
inline float exp(float x) {
    constexpr float least = -87.33654F;
    constexpr float log2_e = 1.44269504F;
    constexpr float ln2_high = 0.693359375F;
    constexpr float ln2_low = -2.12194440e-4F;
    constexpr float rounding = 12582912.0F; // 1.5 * 2^23: what is added to it is rounded to an integer
    const float inside = std::min(std::max(x, least), 89.0F);
    const float n = (inside * log2_e + rounding) - rounding;
    const float r = (inside - n * ln2_high) - n * ln2_low;
    float series = 1.9875691500e-4F;
    for (const float coefficient :
         {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
        series = series * r + coefficient;
    // 2^n as a product of two powers: at the upper end n = 128 has no float of its own.
    const auto power = static_cast<std::int32_t>(n);
    const std::int32_t half = power >> 1;
    const auto scale = [](std::int32_t exponent) { return std::bit_cast<float>((exponent + 127) << 23); };
    const float value = (series * r * r + r + 1.0F) * scale(half) * scale(power - half);
    return x < least ? 0.0F : value;
}

inline double exp(double x) {
    return std::exp(x);
}

/// The derivative of gelu, Φ(x) + x φ(x), with one exponential for both; the error is at most 2.5e-7. The tail of the
/// normal distribution: Abramowitz and Stegun 1964, 7.1.26.
inline float gelu_slope(float x) {
    constexpr float inverse_sqrt_2pi = 0.398942280F;
    const float bell = exp(-0.5F * x * x);
    const float t = 1.0F / (1.0F + 0.231641888F * std::abs(x));
    float series = 1.061405429F;
    for (const float coefficient : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F})
        series = series * t + coefficient;
    const float tail = 0.5F * series * t * bell;
    return (x < 0.0F ? tail : 1.0F - tail) + x * inverse_sqrt_2pi * bell;
}

inline double gelu_slope(double x) {
    constexpr double inverse_sqrt_2 = 0.70710678118654752440;
    constexpr double inverse_sqrt_2pi = 0.39894228040143267794;
    return 0.5 * (1 + std::erf(x * inverse_sqrt_2)) + x * inverse_sqrt_2pi * std::exp(-0.5 * x * x);
}

/// x − y ⌊x / y⌋, whose sign is that of y; x for y = 0 (Knuth, The Art of Computer Programming, 1.2.4).
inline std::int32_t modulo(std::int32_t x, std::int32_t y) {
    if (y == 0 || y == -1) // INT32_MIN % −1 has no value in C++
        return y == 0 ? x : 0;
    const std::int32_t rest = x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

} // namespace planrt
