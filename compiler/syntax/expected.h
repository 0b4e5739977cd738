// What the parser could have gone on with, in the user's words.
#pragma once

#include <antlr4-runtime.h>

#include <string>
#include <string_view>

namespace planc::syntax {

/// Where the parser stopped.
struct Situation {
    std::size_t rule = 0;                    ///< of the grammar, that it was in
    const antlr4::Token *previous = nullptr; ///< null: at the start of the file
    bool at_end = false;                     ///< of the file
    const antlr4::dfa::Vocabulary *vocabulary = nullptr;
};

/// "an expression", "')' or ','", "a declaration (import, dim, …)".
[[nodiscard]] std::string expected(const antlr4::misc::IntervalSet &tokens, const Situation &situation);

/// The same where two tokens decide and the first, of type `first`, was fine.
[[nodiscard]] std::string expected_second(std::size_t first, const Situation &situation);

/// " after 'x'", or nothing where a line starts.
[[nodiscard]] std::string after(const antlr4::Token &previous);

/// At most 40 characters of the user's text.
[[nodiscard]] std::string shortened(std::string_view text);

/// "'x'", "the end of the line".
[[nodiscard]] std::string describe(const antlr4::Token &token);

/// The same, "the reserved word 'for'" where a name was expected.
[[nodiscard]] std::string describe_instead_of(const std::string &expected, const antlr4::Token &token);

/// "')'" for a '('.
[[nodiscard]] std::string closing_of(const antlr4::Token &opening);

/// The head of a declaration that the token looks like, where one was expected; or nothing.
[[nodiscard]] std::string misspelt_word(const antlr4::Token &token, const std::string &expected);

/// What to write instead of a character that starts no token: "a power is written 'power(x, 2)'"; or nothing.
[[nodiscard]] std::string instead_of_character(std::string_view character);

/// What to write instead of what belongs to another language, `x ** 2`, `x += 1` or `let x`, where the parser stopped
/// at `token`; or nothing.
[[nodiscard]] std::string instead_of_words(const antlr4::Token &previous, const antlr4::Token &token,
                                           const antlr4::Token &next);

} // namespace planc::syntax
