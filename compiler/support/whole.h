// Sums of bytes and the like are doubles; as whole numbers they are printed.
#pragma once

#include <cstdint>
#include <limits>

namespace planc::support {

/// Towards 0; what does not fit 63 bits is the largest number that does.
[[nodiscard]] inline std::int64_t whole(double number) {
    return number < 0x1p63 ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::max();
}

} // namespace planc::support
