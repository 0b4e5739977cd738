// What comes from outside (a file's words, a path, an argument) as it may stand in a line of output.
#pragma once

#include <string>
#include <string_view>

namespace planrt {

/// The words with everything escaped that would end the line, that a terminal obeys or that turns the direction of
/// writing: "\n", "\x1b", "\u202e"; bytes that are no UTF-8 as "\xff". All else stays as it is.
[[nodiscard]] std::string printable(std::string_view words);

} // namespace planrt
