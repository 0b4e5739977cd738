// Bounds are kept in single precision.
#pragma once

namespace planc::plan {

/// The largest float that is at most the number, which is not negative.
[[nodiscard]] inline float rounded_down(double number) {
    constexpr double more_than_half_a_digit = 0x1.000002p-24;
    return static_cast<float>(number * (1 - more_than_half_a_digit));
}

} // namespace planc::plan
