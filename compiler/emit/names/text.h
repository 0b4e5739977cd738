// Strings and numbers in C++, and lines that fit. For names, see identifiers.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace planc::emit {

/// "h1.w" is "w" within h1, "gradient at h1 select" is "gradient at select".
[[nodiscard]] std::string within_layer(std::string title, const std::string &layer);

/// The text as a string literal, with quotes. It may contain any bytes.
[[nodiscard]] std::string string_literal(std::string_view text);
/// The text on one line, so that it can follow `//`.
[[nodiscard]] std::string comment(std::string_view text);
/// Shortest text that reads back as `value`: "0.1", "1.0", "1e-08".
[[nodiscard]] std::string number(double value);

[[nodiscard]] std::string boolean(bool value);

[[nodiscard]] std::string joined(const std::vector<std::string> &parts, std::string_view separator = ", ");
/// The same as an initializer list.
[[nodiscard]] std::string braces(const std::vector<std::string> &parts);
/// `head` + parts + `tail`, broken before a part that would pass column 120; continuation lines are indented by
/// `indent`.
[[nodiscard]] std::string wrapped(std::string_view head, const std::vector<std::string> &parts, std::string_view tail,
                                  std::size_t indent);

/// Lines longer than 120 columns broken after a comma, or else before the weakest operator; lines of comment stay
/// comments. No comment follows code.
[[nodiscard]] std::string broken_lines(std::string_view text);

} // namespace planc::emit
