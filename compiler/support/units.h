// Quantities with their unit in the type. Values are in SI base units: seconds, bytes, floating-point operations.
#pragma once

#include <compare>

namespace planc::support {

template <class Tag> struct Quantity {
    double value = 0;
    constexpr Quantity() = default;
    constexpr explicit Quantity(double v) : value(v) {}
    constexpr Quantity &operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
    friend constexpr Quantity operator*(Quantity a, double s) { return Quantity(a.value * s); }
    friend constexpr Quantity operator*(double s, Quantity a) { return Quantity(a.value * s); }
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
    friend constexpr Quantity operator/(Quantity a, double s) { return Quantity(a.value / s); }
    friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;

} // namespace planc::support
