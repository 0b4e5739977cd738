// Splits a text into the tokens that the grammar sees.
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/text.h"

#include <antlr4-runtime.h>

#include <memory>
#include <set>
#include <vector>

namespace planc::syntax {

struct Tokens {
    std::unique_ptr<antlr4::ANTLRInputStream> characters; ///< the text to which the tokens refer
    std::unique_ptr<antlr4::Lexer> lexer;                 ///< the lexer that made the tokens
    std::vector<std::unique_ptr<antlr4::Token>>
        tokens; ///< separators only between two items (L3); the end of the file is the last
    std::vector<Comment> comments;
    std::vector<support::SourceRange> foreign_comments; ///< `#` and `/*`, which the parser does not see
    std::set<std::size_t>
        given_up; ///< start indices of line ends that separate items because a bracket is never closed
};

/// A character that starts no token becomes a token of kind UNKNOWN or OPEN_STRING, which the parser does not accept.
[[nodiscard]] Tokens tokenize(const Places &places);

} // namespace planc::syntax
