// The words of other frameworks and languages, for hints if a beginner uses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace planc::sema {

/// The counterpart of a foreign word among the words that are known at the place: "rate" for "lr". Empty if it is not a
/// foreign word, or if its counterpart is not known there.
[[nodiscard]] std::string counterpart(std::string_view word, const std::vector<std::string> &known);

/// The counterpart of a unit as it is written elsewhere: "Gflop/s" for "GFLOPS", "Gbit/s" for "Gbps". Empty if there is
/// none.
[[nodiscard]] std::string counterpart_of_unit(std::string_view word);

} // namespace planc::sema
