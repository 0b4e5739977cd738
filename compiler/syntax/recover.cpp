#include "syntax/recover.h"

#include "syntax/expected.h"

namespace planc::syntax {

using grammar::PlanParser;

namespace {

const antlr4::Token *before(antlr4::Parser &parser, const antlr4::Token &token) {
    const auto index = token.getTokenIndex();
    return index == 0 ? nullptr : parser.getTokenStream()->get(index - 1);
}

Unexpected describe_mistake(antlr4::Parser &parser, const antlr4::RecognitionException &e) {
    antlr4::Token *offending = e.getOffendingToken();
    const Situation situation{parser.getContext()->getRuleIndex(), before(parser, *offending),
                              offending->getType() == antlr4::Token::EOF, &parser.getVocabulary()};
    const auto *undecided = dynamic_cast<const antlr4::NoViableAltException *>(&e);
    if (undecided && undecided->getStartToken() != offending)
        return {offending, expected_second(undecided->getStartToken()->getType(), situation)};
    return {offending, expected(parser.getExpectedTokens(), situation)};
}

bool is_expected(antlr4::Parser &parser) {
    const auto &next = parser.getATN().nextTokens(parser.getATN().states[parser.getState()]);
    return next.contains(antlr4::Token::EPSILON) || next.contains(parser.getTokenStream()->LA(1));
}

bool is_separator(std::size_t type) {
    return type == PlanParser::LINE_END || type == PlanParser::SEMICOLON;
}

/// Items of a body, between separators.
bool is_item(std::size_t rule) {
    return rule == PlanParser::RuleStatement || rule == PlanParser::RuleSetting || rule == PlanParser::RuleLayoutItem ||
           rule == PlanParser::RulePipelineItem || rule == PlanParser::RuleGroup || rule == PlanParser::RuleRow;
}

/// Lists of items, and of declarations.
bool is_list(std::size_t rule) {
    return rule == PlanParser::RuleFile || rule == PlanParser::RuleBlock || rule == PlanParser::RuleSettings ||
           rule == PlanParser::RuleLayoutBody || rule == PlanParser::RulePipelineBody ||
           rule == PlanParser::RuleGroups || rule == PlanParser::RuleTable;
}

/// `network f`, `import "…"`: an item of a body never starts like this.
bool begins_declaration(antlr4::TokenStream &stream, std::size_t index) {
    const std::size_t head = stream.get(index)->getType();
    if (head < PlanParser::IMPORT || head > PlanParser::TRAIN || index + 1 >= stream.size())
        return false;
    const std::size_t next = stream.get(index + 1)->getType();
    return head == PlanParser::IMPORT
               ? next == PlanParser::STRING
               : next == PlanParser::NAME || (next >= PlanParser::IMPORT && next <= PlanParser::FORBID);
}

} // namespace

void StopAtFirst::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) {
    throw describe_mistake(*parser, e);
}

antlr4::Token *StopAtFirst::recoverInline(antlr4::Parser *parser) {
    throw antlr4::InputMismatchException(parser);
}

void StopAtFirst::sync(antlr4::Parser *parser) {
    if (!is_expected(*parser))
        throw antlr4::InputMismatchException(parser);
}

/// Adds a mistake, unless it is the same as the previous one: at the same token, or at the end of the file after
/// another mistake in the same declaration.
void Recovering::add(Unexpected mistake) {
    const bool at_end = mistake.token->getType() == antlr4::Token::EOF;
    if (!mistakes_.empty() &&
        (mistakes_.back().token == mistake.token || (at_end && mistakes_.size() > mistakes_before_)))
        return;
    if (mistakes_.size() >= most_mistakes)
        throw TooMany{};
    mistakes_.push_back(std::move(mistake));
}

void Recovering::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) {
    if (!unwinding_)
        add(describe_mistake(*parser, e));
    unwinding_ = true;
}

/// The index of the token after an item: its separator, or the brace that closes the body.
std::size_t Recovering::end_of_item(antlr4::Parser &parser, std::size_t first) const {
    antlr4::TokenStream &stream = *parser.getTokenStream();
    const std::size_t current = stream.index();
    int braces = 0;
    for (std::size_t i = first;; ++i) {
        const std::size_t type = stream.get(i)->getType();
        if (type == antlr4::Token::EOF)
            return i;
        if (i >= current && braces <= 0 && (is_separator(type) || type == PlanParser::RIGHT_BRACE))
            return i;
        braces += type == PlanParser::LEFT_BRACE ? 1 : type == PlanParser::RIGHT_BRACE ? -1 : 0;
    }
}

/// The separator in front of the next declaration. Braces may be missing, so only a line that starts like a declaration
/// counts; after a head that is merely misspelt, braces are trusted.
std::size_t Recovering::end_of_declaration(antlr4::Parser &parser, std::size_t first) const {
    antlr4::TokenStream &stream = *parser.getTokenStream();
    const Unexpected &mistake = mistakes_.back();
    const bool misspelt =
        mistake.token->getTokenIndex() == first && !misspelt_word(*mistake.token, mistake.expected).empty();
    int braces = 0;
    std::size_t i = misspelt ? first : std::max(stream.index(), first + 1) - 1;
    for (;; ++i) {
        const std::size_t type = stream.get(i)->getType();
        if (type == antlr4::Token::EOF)
            return i;
        if (is_separator(type) && i > first && ((misspelt && braces == 0) || begins_declaration(stream, i + 1)))
            return i;
        braces += type == PlanParser::LEFT_BRACE ? 1 : type == PlanParser::RIGHT_BRACE ? -1 : 0;
    }
}

void Recovering::give_up_declaration(antlr4::Parser &parser, std::size_t first) {
    declarations_.insert(first);
    parser.getTokenStream()->seek(end_of_declaration(parser, first));
    unwinding_ = false;
}

void Recovering::recover(antlr4::Parser *parser, std::exception_ptr e) {
    const antlr4::ParserRuleContext &context = *parser->getContext();
    const std::size_t rule = context.getRuleIndex();
    const std::size_t first = context.start->getTokenIndex();
    antlr4::TokenStream &stream = *parser->getTokenStream();
    if (is_item(rule) && !begins_declaration(stream, first)) { // else a brace is missing before it
        stream.seek(end_of_item(*parser, first));
        unwinding_ = false;
    } else if (rule == PlanParser::RuleDeclaration) {
        give_up_declaration(*parser, first);
    } else if (rule == PlanParser::RuleFile) {
        unwinding_ = false;
    } else {
        std::rethrow_exception(e);
    }
}

/// Continues where the list can continue: at its next item, at the separator in front of it, or at its end.
void Recovering::skip_to_list(antlr4::Parser &parser) {
    antlr4::TokenStream &stream = *parser.getTokenStream();
    const bool file = parser.getContext()->getRuleIndex() == PlanParser::RuleFile;
    const std::size_t first = stream.index();
    const std::vector<antlr4::tree::ParseTree *> &before = parser.getContext()->children;
    auto *item = before.empty() ? nullptr : dynamic_cast<antlr4::ParserRuleContext *>(before.back());
    if (item) { // the surplus tokens belong to this item: `h = x ^ 2`
        item->exception = std::make_exception_ptr(antlr4::InputMismatchException(&parser));
        if (file)
            declarations_.insert(item->start->getTokenIndex());
    }
    if (file)
        give_up_declaration(parser, first);
    else
        stream.seek(end_of_item(parser, first));
    if (!is_expected(parser) && is_separator(stream.LA(1))) { // in front of the first item
        bodies_.insert(parser.getContext());
        stream.seek(stream.index() + 1);
    }
}

void Recovering::sync(antlr4::Parser *parser) {
    antlr4::TokenStream &stream = *parser->getTokenStream();
    const std::size_t rule = parser->getContext()->getRuleIndex();
    const auto is_to_skip = [&] { return !is_expected(*parser) && stream.LA(1) != antlr4::Token::EOF; };
    if (is_list(rule))
        while (is_to_skip()) {
            const std::size_t at = stream.index();
            add(describe_mistake(*parser, antlr4::InputMismatchException(parser)));
            skip_to_list(*parser);
            if (stream.index() == at)
                break;
        }
    if (rule == PlanParser::RuleFile) // a declaration begins
        mistakes_before_ = mistakes_.size();
    StopAtFirst::sync(parser);
}

} // namespace planc::syntax
