// Text from outside (a file's contents, a path, an argument) in a form that can be part of a line of output.
#pragma once

#include <string>
#include <string_view>

namespace planrt {

/// Escapes every character that would end the line, control a terminal or change the direction of writing: "\n",
/// "\x1b", "\u202e". Bytes that are not UTF-8 become "\xff"; everything else is unchanged.
[[nodiscard]] std::string printable(std::string_view words);

} // namespace planrt
