// Converts sums of bytes and the like, which are doubles, to the whole numbers as which they are printed.
#pragma once

#include <cstdint>
#include <limits>

namespace planc::support {

/// Rounds towards 0. A number that does not fit into 63 bits becomes the largest one that does.
[[nodiscard]] inline std::int64_t whole(double number) {
    return number < 0x1p63 ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::max();
}

} // namespace planc::support
