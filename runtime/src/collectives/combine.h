// Combines arriving partial results with those that are present.
#pragma once

#include <planrt/planrt.h>

#include <cstddef>
#include <cstdint>

namespace planrt {

/// values[i] = values[i] op received[i] for i in [0, count). `received_first`: received[i] op values[i], which may give
/// another maximum for zeros of different signs.
using Combine = void (*)(std::byte *values, const std::byte *received, std::int64_t count, bool received_first);
[[nodiscard]] Combine combine_of(Type type, Reduction reduction);

} // namespace planrt
