// How large counts may be, so that what is computed with them fits 63 bits.
#pragma once

#include <cstdint>

namespace planc::sema {

/// Steps of a training, samples of a data set.
inline constexpr std::int64_t most_steps = 1'000'000'000'000'000;
/// Of all tensors of a network, and of a data set.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 60U;

} // namespace planc::sema
