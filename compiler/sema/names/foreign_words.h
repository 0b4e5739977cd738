// What other frameworks and languages call things: for hints where a beginner writes their words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace planc::sema {

/// What a word is called here, of those that are known at the place: "rate" for "lr". Empty: it is no such word, or
/// what it means is not known there.
[[nodiscard]] std::string counterpart(std::string_view word, const std::vector<std::string> &known);

/// The unit that is written so elsewhere: "Gflop/s" for "GFLOPS", "Gbit/s" for "Gbps". Empty: none.
[[nodiscard]] std::string counterpart_of_unit(std::string_view word);

} // namespace planc::sema
