// Partial results that arrive are combined with those that are there.
#pragma once

#include <planrt/planrt.h>

#include <cstddef>
#include <cstdint>

namespace planrt {

/// values[i] = values[i] op received[i] for i in [0, count); `received_first`: received[i] op values[i], which of zeros
/// of different signs can be another maximum.
using Combine = void (*)(std::byte *values, const std::byte *received, std::int64_t count, bool received_first);
[[nodiscard]] Combine combine_of(Type type, Reduction reduction);

} // namespace planrt
