// Words for error messages: what the parser expected, and what it found.
#pragma once

#include <antlr4-runtime.h>

#include <string>
#include <string_view>

namespace planc::syntax {

/// Where the parser stopped.
struct Situation {
    std::size_t rule = 0;                    ///< the rule of the grammar in which it stopped
    const antlr4::Token *previous = nullptr; ///< null: at the start of the file
    bool at_end = false;                     ///< the parser stopped at the end of the file
    const antlr4::dfa::Vocabulary *vocabulary = nullptr;
};

/// Describes the tokens: "an expression", "')' or ','", "a declaration (import, dim, …)".
[[nodiscard]] std::string expected(const antlr4::misc::IntervalSet &tokens, const Situation &situation);

/// The same where two tokens decide, and the first one, of type `first`, was correct.
[[nodiscard]] std::string expected_second(std::size_t first, const Situation &situation);

/// " after 'x'"; empty at the start of a line.
[[nodiscard]] std::string after(const antlr4::Token &previous);

/// At most 40 characters of the user's text.
[[nodiscard]] std::string shortened(std::string_view text);

/// Describes the token: "'x'", "the end of the line".
[[nodiscard]] std::string describe(const antlr4::Token &token);

/// The same, but "the reserved word 'for'" where a name was expected.
[[nodiscard]] std::string describe_instead_of(const std::string &expected, const antlr4::Token &token);

/// "')'" for a '('.
[[nodiscard]] std::string closing_of(const antlr4::Token &opening);

/// If the head of a declaration was expected: the one that the token resembles, or nothing.
[[nodiscard]] std::string misspelt_word(const antlr4::Token &token, const std::string &expected);

/// What to write instead of a character that starts no token: "a power is written 'power(x, 2)'"; or nothing.
[[nodiscard]] std::string instead_of_character(std::string_view character);

/// What to write instead of syntax of another language, such as `x ** 2`, `x += 1` or `let x`, if the parser stopped
/// there at `token`; or nothing.
[[nodiscard]] std::string instead_of_words(const antlr4::Token &previous, const antlr4::Token &token,
                                           const antlr4::Token &next);

} // namespace planc::syntax
