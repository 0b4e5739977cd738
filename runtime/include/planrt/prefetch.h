// Loops that compute much on each element, exp or erf of it, reach too few elements ahead for the processor to fetch
// them while it computes: what lies in memory costs a wait for every few lines. Emitted loops fetch it in strips
// instead:
//
//   for (std::int64_t s = 0; s < n; s += strip) {
//       prefetch(s + strip, strip, x);
//       for (std::int64_t i = s; i < std::min(s + strip, n); ++i) … exp(x[i])
//   }
#pragma once

#include <cstdint>

namespace planrt {

/// Elements of a strip: long enough for whole vectors, short enough that its lines of all operands are under way at
/// once.
inline constexpr std::int64_t strip = 256;

/// Begins to fetch x[first], …, x[first + elements - 1] of every x, which may lie behind their ends.
template <class... T> inline void prefetch(std::int64_t first, std::int64_t elements, const T *...x) {
    constexpr std::int64_t line = 64;
    const auto fetch = [=](std::uintptr_t begin, std::int64_t bytes) {
        for (std::int64_t i = 0; i < bytes; i += line)
            __builtin_prefetch(reinterpret_cast<const void *>(begin + static_cast<std::uintptr_t>(i)));
    };
    (fetch(reinterpret_cast<std::uintptr_t>(x) + static_cast<std::uintptr_t>(first) * sizeof(T),
           elements * static_cast<std::int64_t>(sizeof(T))),
     ...);
}

} // namespace planrt
