#include "syntax/recognize.h"

#include "syntax/expected.h"
#include "syntax/recover.h"

#include <algorithm>

namespace planc::syntax {

using grammar::PlanParser;

namespace {

PLANC_DIAGNOSTIC(syntax_error, error, "expected {0}{1}, got {2}");
PLANC_DIAGNOSTIC(unexpected_character, error, "unexpected character {0}");                   // L8
PLANC_DIAGNOSTIC(unterminated_string, error, "this string has no closing '\"' on its line"); // L7
PLANC_DIAGNOSTIC(nested_too_deeply, error, "more than {0} levels of nesting or operators in a row");

struct TooDeep {
    antlr4::Token *where;
};

/// Recursion in the generated parser is bounded, whatever the input.
class BoundedParser : public PlanParser {
  public:
    using PlanParser::PlanParser;

    void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t rule) override {
        check_depth(*context);
        PlanParser::enterRule(context, state, rule);
    }
    void enterRecursionRule(antlr4::ParserRuleContext *context, size_t state, size_t rule, int precedence) override {
        check_depth(*context);
        PlanParser::enterRecursionRule(context, state, rule, precedence);
    }

  private:
    static bool recurses(const antlr4::RuleContext &context) {
        const std::size_t rule = context.getRuleIndex();
        return rule == RuleExpression || rule == RuleConditional || rule == RuleLayoutBody || rule == RuleChoice;
    }
    void check_depth(const antlr4::ParserRuleContext &context) {
        if (!recurses(context))
            return;
        int depth = 0;
        for (auto *above = context.parent; above; above = above->parent)
            depth += recurses(static_cast<const antlr4::RuleContext &>(*above)) ? 1 : 0;
        if (depth >= deepest_nesting)
            throw TooDeep{getCurrentToken()};
    }
};

PlanParser::FileContext *run(ParseTree &tree, antlr4::atn::PredictionMode mode,
                             const std::shared_ptr<antlr4::ANTLRErrorStrategy> &errors) {
    tree.stream->seek(0);
    tree.parser = std::make_unique<BoundedParser>(tree.stream.get());
    tree.parser->removeErrorListeners();
    tree.parser->setErrorHandler(errors);
    tree.parser->getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
    return tree.parser->file();
}

bool is_closing(std::size_t type) {
    return type == PlanParser::RIGHT_PARENTHESIS || type == PlanParser::RIGHT_BRACKET ||
           type == PlanParser::RIGHT_BRACE;
}

bool is_opening(std::size_t type) {
    return type == PlanParser::LEFT_PARENTHESIS || type == PlanParser::LEFT_BRACKET || type == PlanParser::LEFT_BRACE;
}

/// The innermost bracket that is open before the token; null if there is none.
const antlr4::Token *open_bracket(antlr4::TokenStream &stream, const antlr4::Token &token) {
    int closed = 0;
    for (std::size_t i = token.getTokenIndex(); i-- > 0;) {
        const std::size_t type = stream.get(i)->getType();
        if (is_closing(type))
            ++closed;
        else if (is_opening(type) && closed-- == 0)
            return stream.get(i);
    }
    return nullptr;
}

std::string character_name(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first > 0x20 && first != 0x7f)
        return std::string("'").append(text) + '\'';
    constexpr std::string_view digits = "0123456789ABCDEF";
    return std::string("U+00") + digits[first >> 4] + digits[first & 15];
}

/// Reports a character that starts no token. Returns false for other tokens.
bool report_no_token(const antlr4::Token &token, const Places &places, support::Diagnostics &diagnostics) {
    const support::SourceRange where = places.range(token);
    if (token.getType() == PlanParser::UNKNOWN) {
        auto &error = diagnostics.report(unexpected_character, where, {character_name(places.text(where))});
        if (const std::string hint = instead_of_character(places.text(where)); !hint.empty())
            error.note(where, hint);
    } else if (token.getType() == PlanParser::OPEN_STRING)
        diagnostics.report(unterminated_string, where);
    else
        return false;
    return true;
}

void report(const Unexpected &problem, ParseTree &tree, const Places &places, support::Diagnostics &diagnostics) {
    const antlr4::Token &token = tree.given_up.contains(problem.token->getStartIndex())
                                     ? *tree.stream->get(problem.token->getTokenIndex() + 1)
                                     : *problem.token;
    if (report_no_token(token, places, diagnostics))
        return;
    const antlr4::Token *previous =
        problem.token->getTokenIndex() == 0 ? nullptr : tree.stream->get(problem.token->getTokenIndex() - 1);
    const bool at_end = token.getType() == antlr4::Token::EOF || token.getType() == PlanParser::LINE_END;
    support::SourceRange where = places.range(token);
    support::SourceRange gap = where; // between the previous token and this one
    gap.end = gap.begin;
    if (previous)
        gap.begin = places.range(*previous).end;
    if (at_end)
        where = {gap.file, gap.begin, gap.begin};
    auto &error = diagnostics.report(
        syntax_error, where,
        {problem.expected, previous ? after(*previous) : "", describe_instead_of(problem.expected, token)});
    const antlr4::Token *opening = open_bracket(*tree.stream, token);
    const std::string closing = opening ? closing_of(*opening) : "";
    const bool on_next_line = places.text(gap).find('\n') != std::string_view::npos;
    const bool mismatched = is_closing(token.getType()) && opening && opening->getType() != PlanParser::LEFT_BRACE;
    if (opening && (at_end || on_next_line || mismatched) && problem.expected.find(closing) != std::string::npos)
        error.note(places.range(*opening), "to match this '" + opening->getText() + "'");
    else if (const std::string hint = misspelt_word(token, problem.expected); !hint.empty())
        error.note(where, "did you mean '" + hint + "'?");
    else if (previous && token.getType() != antlr4::Token::EOF) {
        const antlr4::Token &next = *tree.stream->get(token.getTokenIndex() + 1);
        if (const std::string other = instead_of_words(*previous, token, next); !other.empty())
            error.note(where, other);
    }
}

} // namespace

void report_too_deep(support::SourceRange where, support::Diagnostics &diagnostics) {
    diagnostics.report(nested_too_deeply, where, {std::to_string(deepest_nesting)});
}

ParseTree recognize(Tokens &tokens, const Places &places, support::Diagnostics &diagnostics) {
    ParseTree tree;
    tree.source = std::make_unique<antlr4::ListTokenSource>(std::move(tokens.tokens));
    tree.stream = std::make_unique<antlr4::CommonTokenStream>(tree.source.get());
    tree.stream->fill();
    tree.given_up = std::move(tokens.given_up);
    const auto recovering = std::make_shared<Recovering>();
    try {
        try {
            tree.root = run(tree, antlr4::atn::PredictionMode::SLL, std::make_shared<StopAtFirst>());
        } catch (const Unexpected &) { // the context seldom matters, but SLL alone cannot tell
            tree.root = run(tree, antlr4::atn::PredictionMode::LL, recovering);
        }
    } catch (const Recovering::TooMany &) {
        tree.root = nullptr;
    } catch (const TooDeep &problem) {
        tree.root = nullptr;
        report_too_deep(places.range(*problem.where), diagnostics);
    }
    for (const Unexpected &mistake : recovering->mistakes())
        report(mistake, tree, places, diagnostics);
    tree.complete = tree.root && recovering->mistakes().empty();
    tree.declarations = recovering->declarations();
    tree.bodies = recovering->bodies();
    return tree;
}

} // namespace planc::syntax
