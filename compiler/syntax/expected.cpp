#include "syntax/expected.h"

#include "support/diagnostics.h"
#include "support/utf8.h"

#include "syntax/grammar/PlanParser.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace planc::syntax {

using grammar::PlanParser;

namespace {

const std::vector<std::string> declaration_heads = {"import",  "dim",  "network", "layer", "data",
                                                    "machine", "mesh", "layout",  "train"};
constexpr const char *a_declaration =
    "a declaration (import, dim, network, layer, data, machine, mesh, layout or train)";

using Kinds = std::set<std::size_t>;

/// If the first of `kinds` is present, removes all of them and returns true.
bool take(Kinds &from, std::initializer_list<std::size_t> kinds) {
    if (!from.contains(*kinds.begin()))
        return false;
    for (const std::size_t kind : kinds)
        from.erase(kind);
    return true;
}

/// Removes every word that is a name (L4).
void take_names(Kinds &from) {
    for (std::size_t word = PlanParser::IMPORT; word <= PlanParser::FORBID; ++word)
        from.erase(word);
    from.erase(PlanParser::NAME);
}

/// Removes continuations that are always possible and never helpful.
void drop_noise(Kinds &kinds, const Situation &situation) {
    const Kinds all = kinds;
    const auto previous = situation.previous ? situation.previous->getType() : antlr4::Token::EOF;
    if (previous == PlanParser::INTEGER || previous == PlanParser::DECIMAL) {
        kinds.erase(PlanParser::NAME); // a unit
        kinds.erase(PlanParser::PERCENT);
    }
    if (!kinds.contains(PlanParser::STRING)) { // else they start an expression
        for (const std::size_t kind :
             {PlanParser::PLUS, PlanParser::MINUS, PlanParser::SLASH, PlanParser::REMAINDER, PlanParser::EQUAL,
              PlanParser::NOT_EQUAL, PlanParser::LESS, PlanParser::GREATER, PlanParser::GREATER_EQUAL, PlanParser::AND,
              PlanParser::OR, PlanParser::DOTS, PlanParser::DOT, PlanParser::LEFT_PARENTHESIS})
            kinds.erase(kind);
        if (all.contains(PlanParser::PLUS)) // behind an expression
            kinds.erase(PlanParser::LEFT_BRACKET);
        if (!kinds.contains(PlanParser::INTEGER)) // else one of two ways to continue after a layer's `[`
            kinds.erase(PlanParser::STAR);
        if (situation.rule == PlanParser::RuleExpression)
            kinds.erase(PlanParser::LESS_EQUAL);
    }
    if (kinds.contains(PlanParser::COMMA) && kinds.contains(PlanParser::RIGHT_PARENTHESIS)) {
        kinds.erase(PlanParser::COLON); // of an argument
        kinds.erase(PlanParser::ASSIGN);
        kinds.erase(PlanParser::ARROW);
    }
    if (kinds.contains(PlanParser::LINE_END))
        kinds.erase(PlanParser::AS);
    if (situation.rule == PlanParser::RuleBinding)
        kinds.erase(PlanParser::COMMA);
    if (kinds.contains(PlanParser::RIGHT_BRACE) && situation.at_end)
        take(kinds, {PlanParser::LINE_END, PlanParser::SEMICOLON});
    if (kinds.empty())
        kinds = all;
}

std::string join(const std::vector<std::string> &words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

} // namespace

std::string expected(const antlr4::misc::IntervalSet &tokens, const Situation &situation) {
    Kinds kinds;
    for (const ssize_t kind : tokens.toList())
        kinds.insert(static_cast<std::size_t>(kind));
    const bool declares = situation.rule == PlanParser::RuleFile || situation.rule == PlanParser::RuleDeclaration;
    if (declares && kinds.contains(PlanParser::IMPORT))
        return a_declaration;
    drop_noise(kinds, situation);

    std::vector<std::string> words;
    if (kinds.contains(PlanParser::RETURN)) {
        words.emplace_back("a statement");
        take(kinds, {PlanParser::RETURN, PlanParser::YIELD, PlanParser::IF});
        take_names(kinds);
    } else if (kinds.contains(PlanParser::STRING) && kinds.contains(PlanParser::INTEGER)) {
        words.emplace_back("an expression");
        take(kinds, {PlanParser::STRING, PlanParser::INTEGER, PlanParser::DECIMAL, PlanParser::TRUE, PlanParser::FALSE,
                     PlanParser::IF, PlanParser::FOLD, PlanParser::NOT, PlanParser::MINUS, PlanParser::LEFT_BRACKET,
                     PlanParser::LEFT_PARENTHESIS, PlanParser::DOTS});
        take_names(kinds);
    } else if (kinds.contains(PlanParser::NAME)) {
        words.emplace_back("a name");
        take_names(kinds);
    } else if (kinds.contains(PlanParser::INTEGER) && kinds.contains(PlanParser::DECIMAL)) {
        words.emplace_back("a number");
        take(kinds, {PlanParser::INTEGER, PlanParser::DECIMAL});
    }
    if (take(kinds, {PlanParser::LINE_END, PlanParser::SEMICOLON}))
        words.emplace_back("the end of the line");
    if (kinds.erase(static_cast<std::size_t>(antlr4::Token::EOF)) > 0 && words.empty())
        words.emplace_back("the end of the file");
    for (const std::size_t kind : kinds)
        words.push_back(kind == PlanParser::STRING    ? "a string"
                        : kind == PlanParser::INTEGER ? "a whole number"
                                                      : situation.vocabulary->getDisplayName(kind));
    return join(words);
}

std::string expected_second(std::size_t first, const Situation &situation) {
    const bool behind_first = situation.previous->getType() == first;
    switch (first) {
    case PlanParser::PARAM:
    case PlanParser::STATE:
    case PlanParser::SHARED:
        return "a name";
    case PlanParser::STORE:
    case PlanParser::FORBID:
        return behind_first ? "a name" : "'->'";
    case PlanParser::PIPELINE:
        return "'->'";
    case PlanParser::CUT:
        return behind_first ? "'before' or 'after'" : "a layer";
    default:
        return "something else";
    }
}

std::string after(const antlr4::Token &previous) {
    if (previous.getType() == PlanParser::LINE_END || previous.getType() == PlanParser::SEMICOLON)
        return {};
    return " after " + describe(previous);
}

std::string shortened(std::string_view text) {
    constexpr std::size_t longest = 40; // code points
    std::size_t end = 0;
    for (std::size_t n = 0; end < text.size() && n < longest; ++n)
        end += support::decode_utf8(text, end).length;
    return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

std::string describe(const antlr4::Token &token) {
    if (token.getType() == antlr4::Token::EOF)
        return "the end of the file";
    if (token.getType() == PlanParser::LINE_END)
        return "the end of the line";
    const std::string quote = token.getType() == PlanParser::STRING ? "" : "'";
    return quote + shortened(token.getText()) + quote;
}

std::string describe_instead_of(const std::string &expected, const antlr4::Token &token) {
    const bool reserved = token.getType() >= PlanParser::IF && token.getType() <= PlanParser::FALSE;
    const bool name =
        expected.find("a name") != std::string::npos || expected.find("an expression") != std::string::npos;
    return (reserved && name ? "the reserved word " : "") + describe(token);
}

std::string closing_of(const antlr4::Token &opening) {
    return opening.getType() == PlanParser::LEFT_PARENTHESIS ? "')'"
           : opening.getType() == PlanParser::LEFT_BRACKET   ? "']'"
                                                             : "'}'";
}

std::string misspelt_word(const antlr4::Token &token, const std::string &expected) {
    static const std::map<std::string, const char *> elsewhere = {
        {"def", "layer"},     {"fn", "layer"},       {"func", "layer"},     {"function", "layer"}, {"class", "network"},
        {"model", "network"}, {"module", "network"}, {"include", "import"}, {"from", "import"},    {"const", "dim"}};
    if (expected != a_declaration || token.getType() != PlanParser::NAME)
        return {};
    if (const auto head = elsewhere.find(token.getText()); head != elsewhere.end())
        return head->second;
    return support::nearest(token.getText(), declaration_heads);
}

std::string instead_of_character(std::string_view character) {
    static const std::map<std::string_view, const char *> signs = {
        {"&", "'and' joins two conditions"},
        {"|", "'or' joins two conditions"},
        {"!", "'not' turns a condition around"},
        {"^", "a power is written 'power(x, 2)'"},
        {"@", "a product of matrices is an 'einsum', or the layer 'dense'"},
        {"'", "a string stands between '\"'"},
        {"`", "a string stands between '\"'"},
        {"“", "a string stands between '\"'"},
        {"”", "a string stands between '\"'"},
        {"×", "a product is written '*'"},
        {"·", "a product is written '*'"},
        {"÷", "a quotient is written '/'"},
        {"−", "a difference is written '-'"},
        {"–", "a difference is written '-'"},
        {"→", "an arrow is written '->'"},
        {"≤", "'at most' is written '<='"},
        {"≥", "'at least' is written '>='"},
        {"≠", "'not equal' is written '!='"},
        {"\\", "a line continues after an operator, and within brackets"}};
    const auto sign = signs.find(character);
    return sign == signs.end() ? std::string() : sign->second;
}

std::string instead_of_words(const antlr4::Token &previous, const antlr4::Token &token, const antlr4::Token &next) {
    const auto together = [](const antlr4::Token &first, const antlr4::Token &second) {
        return first.getStopIndex() + 1 == second.getStartIndex() ? first.getText() + second.getText() : std::string();
    };
    if (together(previous, token) == "**")
        return "a power is written 'power(x, 2)'";
    for (const std::string &sign : {together(previous, token), together(token, next)}) {
        if (sign == "+=" || sign == "-=" || sign == "*=" || sign == "/=")
            return "a name is bound once: bind the result to a new one";
        if (sign == ":=")
            return "write '='";
    }
    const std::string &word = previous.getText();
    if ((word == "let" || word == "var" || word == "val" || word == "const") && token.getType() == PlanParser::NAME)
        return "write '" + token.getText() + " = …'";
    return {};
}

} // namespace planc::syntax
