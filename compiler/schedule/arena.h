// Places buffers in one arena so that buffers that live at the same time do not overlap.
//
//   place({{256, 0, 2}, {256, 1, 3}, {256, 3, 4}})    offsets 0, 256, 0: 512 bytes
#pragma once

#include <cstdint>
#include <vector>

namespace planc::schedule {

inline constexpr std::int64_t alignment = 64; ///< bytes: a cache line, and the widest vector register

[[nodiscard]] constexpr std::int64_t aligned(std::int64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// A buffer and the steps [begin, end] in which it is used, both included.
struct Lifetime {
    std::int64_t bytes = 0;
    int begin = 0;
    int end = 0;
};

struct Placed {
    std::vector<std::int64_t> offsets; ///< per buffer; multiples of `alignment`
    std::int64_t bytes = 0;            ///< to the end of the last buffer
};

/// First fit, the largest buffers first (Pisarchyk and Lee 2020, "greedy by size"). Deterministic.
[[nodiscard]] Placed place(const std::vector<Lifetime> &buffers);

} // namespace planc::schedule
