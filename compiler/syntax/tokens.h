// From text to the tokens that the grammar sees.
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/text.h"

#include <antlr4-runtime.h>

#include <memory>
#include <optional>
#include <vector>

namespace planc::syntax {

struct Tokens {
    std::unique_ptr<antlr4::ANTLRInputStream> characters; ///< what the tokens point into
    std::unique_ptr<antlr4::Lexer> lexer;                 ///< what made them
    std::vector<std::unique_ptr<antlr4::Token>>
        tokens; ///< separators only between two items (L3); the end of the file is the last
    std::vector<Comment> comments;
};

/// Null and an error at the first character that starts no token.
[[nodiscard]] std::optional<Tokens> tokenize(const Places &places, support::Diagnostics &diagnostics);

} // namespace planc::syntax
