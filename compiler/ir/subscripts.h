// Subscripts of an einsum: "batch hidden', hidden' hidden -> batch hidden". There is one list of loop names for each
// operand and one for the result; a dimension runs over the loop named at its position.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::ir {

struct Subscripts {
    std::vector<std::vector<std::string>> operands;
    std::vector<std::string> result;

    /// All loops in order of first appearance, operands first.
    [[nodiscard]] std::vector<std::string> loops() const;
    [[nodiscard]] std::string text() const;
};

/// Empty if the text has no "->".
[[nodiscard]] std::optional<Subscripts> parse_subscripts(std::string_view text);

/// Each of two names in place of the other.
void exchange(std::vector<std::string> &names, const std::string &a, const std::string &b);

} // namespace planc::ir
