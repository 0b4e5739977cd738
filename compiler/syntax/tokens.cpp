#include "syntax/tokens.h"

#include "syntax/grammar/PlanLexer.h"

#include <algorithm>
#include <array>

namespace planc::syntax {

using grammar::PlanLexer;
using TokenList = std::vector<std::unique_ptr<antlr4::Token>>;

namespace {

PLANC_DIAGNOSTIC(unexpected_character, error, "unexpected character {0}");                   // L8
PLANC_DIAGNOSTIC(unterminated_string, error, "this string has no closing '\"' on its line"); // L7

constexpr auto binary_operators =
    std::to_array<std::size_t>({PlanLexer::PLUS, PlanLexer::MINUS, PlanLexer::STAR, PlanLexer::SLASH, PlanLexer::EQUAL,
                                PlanLexer::NOT_EQUAL, PlanLexer::LESS, PlanLexer::LESS_EQUAL, PlanLexer::GREATER,
                                PlanLexer::GREATER_EQUAL, PlanLexer::AND, PlanLexer::OR, PlanLexer::ARROW});

bool is_binary_operator(std::size_t type) {
    return std::ranges::find(binary_operators, type) != binary_operators.end();
}

bool is_separator(std::size_t type) {
    return type == PlanLexer::LINE_END || type == PlanLexer::SEMICOLON;
}

bool opens(std::size_t type) {
    return type == PlanLexer::LEFT_PARENTHESIS || type == PlanLexer::LEFT_BRACKET || type == PlanLexer::LEFT_BRACE;
}

bool closes(std::size_t type) {
    return type == PlanLexer::RIGHT_PARENTHESIS || type == PlanLexer::RIGHT_BRACKET || type == PlanLexer::RIGHT_BRACE;
}

/// Drops what says nothing: line ends inside ( ) and [ ] and beside an operator, separators that separate nothing, a
/// comma before a closing bracket. One pass, a token behind: whether a separator stays depends on what follows.
class Filter {
  public:
    void take(std::unique_ptr<antlr4::Token> token) {
        const std::size_t type = token->getType();
        if (is_separator(type)) {
            if (!separator_ && separates_after(type))
                separator_ = std::move(token);
            return;
        }
        if (closes(type))
            drop_trailing_comma(type);
        if (separator_ && stays_before(type))
            kept_.push_back(std::move(separator_));
        separator_.reset();
        note_brackets(type);
        kept_.push_back(std::move(token));
    }

    TokenList finish() { return std::move(kept_); }

  private:
    [[nodiscard]] std::size_t last() const {
        constexpr std::size_t nothing = PlanLexer::LEFT_BRACE; // the file starts like a body
        return kept_.empty() ? nothing : kept_.back()->getType();
    }

    /// The separator of this type behind the last kept token.
    [[nodiscard]] bool separates_after(std::size_t type) const {
        if (last() == PlanLexer::LEFT_BRACE)
            return false;
        if (type == PlanLexer::SEMICOLON)
            return true;
        const bool inside = !brackets_.empty() && (brackets_.back() == PlanLexer::LEFT_PARENTHESIS ||
                                                   brackets_.back() == PlanLexer::LEFT_BRACKET);
        return !inside && !is_binary_operator(last()) && last() != PlanLexer::COMMA;
    }

    [[nodiscard]] bool stays_before(std::size_t next) const {
        if (next == PlanLexer::RIGHT_BRACE)
            return false;
        if (separator_->getType() == PlanLexer::SEMICOLON)
            return true;
        if (next ==
            PlanLexer::STAR) // the line of a layout, or of an optimizer's groups, may start with the pattern `*`
            return head_ == PlanLexer::LAYOUT ||
                   (head_ == PlanLexer::TRAIN && brackets_.size() == 2 && brackets_.back() == PlanLexer::LEFT_BRACE);
        return !is_binary_operator(next) && next != PlanLexer::LEFT_BRACE && next != PlanLexer::ELSE &&
               next != PlanLexer::FOR;
    }

    void drop_trailing_comma(std::size_t closing) {
        const bool after_item = kept_.size() >= 2 && !opens(kept_[kept_.size() - 2]->getType()) &&
                                kept_[kept_.size() - 2]->getType() != PlanLexer::COMMA;
        if (last() == PlanLexer::COMMA && closing != PlanLexer::RIGHT_BRACE && after_item)
            kept_.pop_back();
    }

    void note_brackets(std::size_t type) {
        if (brackets_.empty() && (kept_.empty() || is_separator(last())))
            head_ = type;
        if (type == PlanLexer::IF || type == PlanLexer::ELSE || type == PlanLexer::FOLD)
            choice_ = true;
        if (opens(type))
            brackets_.push_back(type == PlanLexer::LEFT_BRACE && choice_ ? static_cast<std::size_t>(PlanLexer::IF)
                                                                         : type);
        if (type == PlanLexer::LEFT_BRACE)
            choice_ = false;
        if (closes(type) && !brackets_.empty())
            brackets_.pop_back();
    }

    TokenList kept_;
    std::unique_ptr<antlr4::Token> separator_; ///< read, not yet kept
    std::vector<std::size_t> brackets_;        ///< that are open; IF for the brace of a choice or fold
    std::size_t head_ = 0;                     ///< the word at the head of the declaration
    bool choice_ = false;                      ///< the next brace is that of a choice or fold
};

std::string character_name(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first > 0x20 && first != 0x7f)
        return std::string("'").append(text) + '\'';
    constexpr std::string_view digits = "0123456789ABCDEF";
    return std::string("U+00") + digits[first >> 4] + digits[first & 15];
}

/// L2: to the end of the line; kept, but no token of the grammar.
Comment make_comment(const antlr4::Token &token, const Places &places, support::SourceRange previous) {
    Comment comment{places.range(token), true};
    const std::string_view text = places.text(comment.where);
    comment.where.end -= static_cast<std::int32_t>(text.size() - (text.find_last_not_of(" \t\f") + 1));
    if (previous.file >= 0) {
        const support::SourceRange between{previous.file, previous.end, comment.where.begin};
        comment.own_line = places.text(between).find_first_of("\r\n") != std::string_view::npos;
    }
    return comment;
}

/// Reports a token that is none; true if it did.
bool report_unknown(const antlr4::Token &token, const Places &places, support::Diagnostics &diagnostics) {
    const support::SourceRange where = places.range(token);
    if (token.getType() == PlanLexer::UNKNOWN)
        diagnostics.report(unexpected_character, where, {character_name(places.text(where))});
    else if (token.getType() == PlanLexer::OPEN_STRING)
        diagnostics.report(unterminated_string, where);
    else
        return false;
    return true;
}

} // namespace

std::optional<Tokens> tokenize(const Places &places, support::Diagnostics &diagnostics) {
    Tokens result;
    result.characters = std::make_unique<antlr4::ANTLRInputStream>(std::string(places.text()));
    result.lexer = std::make_unique<PlanLexer>(result.characters.get());
    result.lexer->removeErrorListeners();
    Filter filter;
    support::SourceRange previous; // the token before, line ends left out
    support::SourceRange last;
    for (;;) {
        std::unique_ptr<antlr4::Token> token = result.lexer->nextToken();
        if (token->getType() == antlr4::Token::EOF) {
            result.tokens = filter.finish();
            result.tokens.push_back(std::move(token));
            return result;
        }
        if (report_unknown(*token, places, diagnostics))
            return std::nullopt;
        if (token->getType() != PlanLexer::LINE_END)
            last = places.range(*token);
        if (token->getType() == PlanLexer::COMMENT)
            result.comments.push_back(make_comment(*token, places, previous));
        else
            filter.take(std::move(token));
        previous = last;
    }
}

} // namespace planc::syntax
