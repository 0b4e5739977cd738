// Limits for counts, so that numbers computed from them fit into 63 bits.
#pragma once

#include <cstdint>

namespace planc::sema {

/// The maximum for steps of a training and samples of a data set.
inline constexpr std::int64_t most_steps = 1'000'000'000'000'000;
/// The maximum for all tensors of a network, and for a data set.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 60U;

} // namespace planc::sema
