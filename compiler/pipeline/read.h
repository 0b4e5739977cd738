// What the readers share: tokens with their places, and the schedule that placed actions amount to.
#pragma once

#include "pipeline/schedule.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace planc::pipeline {

/// Part of a line of a text; both count from 1, columns in bytes.
struct Token {
    std::string_view text;
    int line = 1;
    int column = 1;
    [[nodiscard]] Token part(std::size_t begin, std::size_t length = std::string_view::npos) const;
    /// Without blanks at either end.
    [[nodiscard]] Token trimmed() const;
    /// The parts between separators; one part if there is none.
    [[nodiscard]] std::vector<Token> split(char separator) const;
};

/// The lines of a text, without their ends ("\n" or "\r\n"). The last end does not begin another line.
[[nodiscard]] std::vector<Token> lines(std::string_view text);

/// A token that is wrong: "line 2, column 7: 'token' is wrong".
class Refused : public std::invalid_argument {
  public:
    Refused(const Token &token, const std::string &wrong);
    int line;
    int column;
    std::string fault; ///< without the place
};
/// Throws Refused.
[[noreturn]] void refuse(const Token &token, const std::string &wrong);

/// Takes a whole number below 2^28 off the front of a text. Empty, and the text is left, if there is none.
[[nodiscard]] std::optional<int> take_number(std::string_view &text);

struct ReadAction {
    Action action;
    Token token;
};

/// Reads "F3" or "F3.5" on a rank. Throws Refused.
[[nodiscard]] ReadAction read_action(const Token &token, int rank);

/// Derives everything else from the actions of each rank. Throws Refused about a token, or std::invalid_argument
/// about the whole.
[[nodiscard]] Schedule schedule_of(const std::vector<std::vector<ReadAction>> &ranks, std::string name,
                                   Weights weights = Weights::synchronous, int accumulated = 0);

} // namespace planc::pipeline
