// Tokens to ANTLR's parse tree, or one error in the user's words.
#pragma once

#include "syntax/tokens.h"

#include "syntax/grammar/PlanParser.h"

#include <memory>

namespace planc::syntax {

/// Limits how deep expressions, conditionals and layout bodies nest, and how many operators follow each other (L9).
constexpr int deepest_nesting = 200;

/// The tree lives as long as its parser.
struct ParseTree {
    std::unique_ptr<antlr4::ListTokenSource> source;
    std::unique_ptr<antlr4::CommonTokenStream> stream;
    std::unique_ptr<grammar::PlanParser> parser;
    grammar::PlanParser::FileContext *root = nullptr; ///< null: there was an error
};

/// Consumes tokens.tokens.
[[nodiscard]] ParseTree recognize(Tokens &tokens, const Places &places, support::Diagnostics &diagnostics);

/// Reports that the construct at `where` is nested more than `deepest_nesting` levels deep.
void report_too_deep(support::SourceRange where, support::Diagnostics &diagnostics);

} // namespace planc::syntax
