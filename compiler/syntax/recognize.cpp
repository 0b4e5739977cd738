#include "syntax/recognize.h"

#include "syntax/expected.h"

#include <algorithm>

namespace planc::syntax {

using grammar::PlanParser;

namespace {

PLANC_DIAGNOSTIC(syntax_error, error, "expected {0}{1}, got {2}");
PLANC_DIAGNOSTIC(nested_too_deeply, error, "more than {0} levels of nesting or operators in a row");

struct TooDeep {
    antlr4::Token *where;
};

struct Unexpected {
    antlr4::Token *token;
    std::string expected;
};

/// Ends the parse at the first mistake: by this error strategy nothing is guessed, skipped or inserted.
class StopAtFirst : public antlr4::DefaultErrorStrategy {
  public:
    void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override {
        antlr4::Token *offending = e.getOffendingToken();
        const Situation situation{parser->getContext()->getRuleIndex(), before(*parser, *offending),
                                  offending->getType() == antlr4::Token::EOF, &parser->getVocabulary()};
        const auto *undecided = dynamic_cast<const antlr4::NoViableAltException *>(&e);
        if (undecided && undecided->getStartToken() != offending)
            throw Unexpected{offending, expected_second(undecided->getStartToken()->getType(), situation)};
        throw Unexpected{offending, expected(parser->getExpectedTokens(), situation)};
    }
    antlr4::Token *recoverInline(antlr4::Parser *parser) override { throw antlr4::InputMismatchException(parser); }
    /// Called where a repetition can go on or end: here both are still expected, behind it only what follows.
    void sync(antlr4::Parser *parser) override {
        const antlr4::atn::ATN &atn = parser->getATN();
        const auto &next = atn.nextTokens(atn.states[parser->getState()]);
        if (!next.contains(antlr4::Token::EPSILON) && !next.contains(parser->getTokenStream()->LA(1)))
            throw antlr4::InputMismatchException(parser);
    }

  private:
    static const antlr4::Token *before(antlr4::Parser &parser, const antlr4::Token &token) {
        const auto index = token.getTokenIndex();
        return index == 0 ? nullptr : parser.getTokenStream()->get(index - 1);
    }
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

PlanParser::FileContext *run(ParseTree &tree, antlr4::atn::PredictionMode mode) {
    tree.stream->seek(0);
    tree.parser = std::make_unique<BoundedParser>(tree.stream.get());
    tree.parser->removeErrorListeners();
    tree.parser->setErrorHandler(std::make_shared<StopAtFirst>());
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

void report(const Unexpected &problem, ParseTree &tree, const Places &places, support::Diagnostics &diagnostics) {
    const antlr4::Token &token = *problem.token;
    const auto index = token.getTokenIndex();
    const antlr4::Token *previous = index == 0 ? nullptr : tree.stream->get(index - 1);
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
    try {
        try {
            tree.root = run(tree, antlr4::atn::PredictionMode::SLL);
        } catch (const Unexpected &) { // seldom a matter of context, but SLL alone cannot tell
            tree.root = run(tree, antlr4::atn::PredictionMode::LL);
        }
    } catch (const Unexpected &problem) {
        report(problem, tree, places, diagnostics);
    } catch (const TooDeep &problem) {
        report_too_deep(places.range(*problem.where), diagnostics);
    }
    return tree;
}

} // namespace planc::syntax
