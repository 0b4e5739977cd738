// The words of a line of a text file, and the numbers that they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planrt {

/// Takes the first word off the line; words are separated by blanks and tabs. Empty at its end.
[[nodiscard]] std::string_view next_word(std::string_view &line);

/// Takes what is before the first comma off the line, without blanks and double quotes around it.
[[nodiscard]] std::string_view next_cell(std::string_view &line);

[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view word);
/// Finite numbers only.
[[nodiscard]] std::optional<double> real_number(std::string_view word);

/// 'WORD', as part of a message; a long one is cut off.
[[nodiscard]] std::string quoted(std::string_view word);

} // namespace planrt
