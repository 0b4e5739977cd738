// Prefetching for loops that compute much for each element (exp, erf). In such loops the processor does not look far
// enough ahead to load from memory while it computes, so it waits for every few cache lines. Emitted loops therefore
// run in strips and prefetch the next strip:
//
//   for (std::int64_t s = 0; s < n; s += strip) {
//       prefetch(s + strip, strip, x);
//       for (std::int64_t i = s; i < std::min(s + strip, n); ++i) … exp(x[i])
//   }
#pragma once

#include <cstdint>

namespace planrt {

/// Elements of a strip: enough for whole vectors, but few enough that the cache lines of all operands can be loaded at
/// once.
inline constexpr std::int64_t strip = 256;

/// Begins to load x[first], …, x[first + elements - 1] of every x; this may go past their ends.
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
