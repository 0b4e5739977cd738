// The units of numbers in the language, and their conversion to SI base units.
//
// Example: parse_unit("Gbit/s") is {bytes_per_second, 1.25e8}: 200 Gbit/s are 2.5e10 B/s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::sema {

/// What a number measures. Values are kept in the base unit: s, B, B/s, flop, flop/s; a share as 0..1.
enum class Measure : std::uint8_t { none, time, memory, bandwidth, work, rate, share };

struct Unit {
    Measure measure = Measure::none;
    double factor = 1; ///< base units per unit
};

[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);
/// All unit words, for "did you mean".
[[nodiscard]] std::vector<std::string> unit_words();
/// "a time (ns, us, ms, s)": for messages.
[[nodiscard]] std::string describe(Measure measure);

} // namespace planc::sema
