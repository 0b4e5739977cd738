// Columns of a text: `=` below `=` and trailing comments below each other, after the lines have been decided.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace planc::syntax {

/// A place in a line in front of which blanks may be put.
struct Stop {
    std::size_t offset = 0; ///< byte of the text
    int column = 0;
    int blanks = 0; ///< how many, found by align()
};

/// An item that stands on a line of its own, alone.
struct Row {
    int line = 0;
    int indent = 0;
    std::optional<Stop> value;   ///< in front of its ` = `
    std::optional<Stop> comment; ///< in front of its trailing comment
};

/// No line is moved by more than this many columns: one that stands farther out than its neighbours is left alone.
constexpr int widest_padding = 24;

/// The text with blanks at the stops. Rows, which come in the order of the text, are neighbours on successive lines of
/// one indentation. Values line up where neighbour after neighbour has one; comments also across rows without one.
[[nodiscard]] std::string align(const std::string &text, std::vector<Row> rows);

} // namespace planc::syntax
