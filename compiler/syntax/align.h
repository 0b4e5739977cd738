// Alignment of columns: `=` under `=`, and trailing comments under each other. It runs after the lines have been
// decided.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace planc::syntax {

/// A place in a line where blanks may be inserted.
struct Stop {
    std::size_t offset = 0; ///< byte of the text
    int column = 0;
    int blanks = 0; ///< inserted by align()
};

/// An item that is alone on its line.
struct Row {
    int line = 0;
    int indent = 0;
    std::optional<Stop> value;   ///< before its ` = `
    std::optional<Stop> comment; ///< before its trailing comment
};

/// No line is moved by more than this many columns. A line that would have to move farther is left alone.
constexpr int widest_padding = 24;

/// Returns the text with blanks inserted at the stops. `rows` are in the order of the text; rows on successive lines
/// with equal indentation are neighbours. Values line up among successive neighbours that have one; comments line up
/// even across neighbours that have none.
[[nodiscard]] std::string align(const std::string &text, std::vector<Row> rows);

} // namespace planc::syntax
