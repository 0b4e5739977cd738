// Parses tokens to ANTLR's parse tree and reports every mistake in the user's words.
#pragma once

#include "syntax/tokens.h"

#include "syntax/grammar/PlanParser.h"

#include <memory>
#include <set>

namespace planc::syntax {

/// Limits how deep expressions, conditionals and layout bodies nest, and how many operators follow each other (L9).
constexpr int deepest_nesting = 200;

/// The tree lives as long as its parser.
struct ParseTree {
    std::unique_ptr<antlr4::ListTokenSource> source;
    std::unique_ptr<antlr4::CommonTokenStream> stream;
    std::unique_ptr<grammar::PlanParser> parser;
    std::set<std::size_t> given_up;                   ///< as in Tokens
    grammar::PlanParser::FileContext *root = nullptr; ///< null: nothing could be parsed
    bool complete = false;                            ///< there was no mistake
    /// If it is not complete, the contexts with an exception were given up, and so were these:
    std::set<std::size_t> declarations;           ///< first tokens of declarations
    std::set<const antlr4::RuleContext *> bodies; ///< bodies without their first lines
};

/// Consumes tokens.tokens.
[[nodiscard]] ParseTree recognize(Tokens &tokens, const Places &places, support::Diagnostics &diagnostics);

/// Reports that the construct at `where` is nested more than `deepest_nesting` levels deep.
void report_too_deep(support::SourceRange where, support::Diagnostics &diagnostics);

} // namespace planc::syntax
