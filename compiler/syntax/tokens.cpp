#include "syntax/tokens.h"

#include "syntax/grammar/PlanLexer.h"

#include <algorithm>
#include <array>

namespace planc::syntax {

using grammar::PlanLexer;
using TokenList = std::vector<std::unique_ptr<antlr4::Token>>;

namespace {

constexpr auto binary_operators = std::to_array<std::size_t>(
    {PlanLexer::PLUS, PlanLexer::MINUS, PlanLexer::STAR, PlanLexer::SLASH, PlanLexer::EQUAL, PlanLexer::NOT_EQUAL,
     PlanLexer::LESS, PlanLexer::LESS_EQUAL, PlanLexer::GREATER, PlanLexer::GREATER_EQUAL, PlanLexer::AND,
     PlanLexer::OR, PlanLexer::ARROW, PlanLexer::REMAINDER});

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

/// Whether the token can only end an expression, and nothing else inside ( ) and [ ].
bool ends_expression(std::size_t type) {
    return type == PlanLexer::NAME || type == PlanLexer::STRING || type == PlanLexer::PERCENT ||
           type == PlanLexer::INTEGER || type == PlanLexer::DECIMAL || closes(type);
}

/// Whether the token begins an operand and nothing that could follow `80%`.
bool begins_operand(std::size_t type) {
    return type == PlanLexer::NAME || type == PlanLexer::INTEGER || type == PlanLexer::DECIMAL ||
           type == PlanLexer::LEFT_PARENTHESIS || (type >= PlanLexer::IMPORT && type <= PlanLexer::FORBID);
}

/// Whether the token can begin a statement, a setting or a declaration, and cannot continue an expression.
bool begins_item(std::size_t type) {
    return type == PlanLexer::NAME || type == PlanLexer::IF || (type >= PlanLexer::IMPORT && type <= PlanLexer::SHARED);
}

/// Drops tokens without meaning: line ends inside ( ) and [ ] and beside an operator, separators that separate nothing,
/// a comma before a closing bracket. It works in one pass, one token behind, because the next token decides whether a
/// separator stays.
///
/// A ( or [ that is never closed would contain everything after it. It is given up at a line that can only be a new
/// item and is not indented more than the line with the bracket. A separator is kept there, after which the parser
/// continues.
class Filter {
  public:
    void take(std::unique_ptr<antlr4::Token> token) {
        tell_remainder(*token);
        const std::size_t type = token->getType();
        if (is_separator(type)) {
            if (type == PlanLexer::LINE_END)
                line_end_ = std::make_unique<antlr4::CommonToken>(token.get());
            if (!separator_ && separates_after(type))
                separator_ = std::move(token);
            return;
        }
        if (line_end_ || kept_.empty())
            column_ = token->getCharPositionInLine();
        if (line_end_ && inside() && column_ <= column_of_bracket())
            give_up_brackets(type);
        line_end_.reset();
        if (closes(type))
            drop_trailing_comma(type);
        if (separator_ && stays_before(type))
            kept_.push_back(std::move(separator_));
        separator_.reset();
        note_brackets(type);
        kept_.push_back(std::move(token));
    }

    TokenList finish() { return std::move(kept_); }
    /// Start indices of separators at which brackets were given up.
    [[nodiscard]] const std::set<std::size_t> &given_up() const { return given_up_; }

  private:
    [[nodiscard]] std::size_t last() const {
        constexpr std::size_t nothing = PlanLexer::LEFT_BRACE; // the file starts like a body
        return kept_.empty() ? nothing : kept_.back()->getType();
    }

    /// L6: `%` is a unit behind a number, unless an operand follows on the line: `8 % x`, `8 % -3`, but `80%-x`.
    void tell_remainder(antlr4::Token &token) {
        const std::size_t type = token.getType();
        const bool unit = !line_end_ && (last() == PlanLexer::INTEGER || last() == PlanLexer::DECIMAL);
        if (type == PlanLexer::PERCENT && !unit)
            as_remainder(token);
        const bool behind_unit = !separator_ && last() == PlanLexer::PERCENT && kept_.size() > 1;
        if (!behind_unit)
            return;
        const antlr4::Token &number = *kept_[kept_.size() - 2];
        const bool apart = number.getStopIndex() + 1 < kept_.back()->getStartIndex();
        if (begins_operand(type) || (apart && type == PlanLexer::MINUS))
            as_remainder(*kept_.back());
    }

    static void as_remainder(antlr4::Token &token) {
        dynamic_cast<antlr4::CommonToken &>(token).setType(PlanLexer::REMAINDER);
    }

    static bool is_inside(std::size_t opening) {
        return opening == PlanLexer::LEFT_PARENTHESIS || opening == PlanLexer::LEFT_BRACKET;
    }
    [[nodiscard]] bool inside() const { return !brackets_.empty() && is_inside(brackets_.back().type); }

    /// The column of the line in which the outermost ( or [ of the current body was opened.
    [[nodiscard]] std::size_t column_of_bracket() const {
        auto outermost = brackets_.rbegin();
        while (std::next(outermost) != brackets_.rend() && is_inside(std::next(outermost)->type))
            ++outermost;
        return outermost->column;
    }

    void give_up_brackets(std::size_t next) {
        const bool closed = next == PlanLexer::RIGHT_BRACE;
        const bool returns = next == PlanLexer::RETURN || next == PlanLexer::YIELD; // words of no expression
        if (!closed && !returns && !(ends_expression(last()) && begins_item(next)))
            return;
        while (inside())
            brackets_.pop_back();
        if (closed)
            return;
        given_up_.insert(line_end_->getStartIndex());
        separator_ = std::move(line_end_);
    }

    /// Whether a separator of this type may follow the last kept token.
    [[nodiscard]] bool separates_after(std::size_t type) const {
        if (last() == PlanLexer::LEFT_BRACE)
            return false;
        if (type == PlanLexer::SEMICOLON)
            return true;
        return !inside() && !is_binary_operator(last()) && last() != PlanLexer::COMMA;
    }

    [[nodiscard]] bool stays_before(std::size_t next) const {
        if (next == PlanLexer::RIGHT_BRACE)
            return false;
        if (separator_->getType() == PlanLexer::SEMICOLON)
            return true;
        if (next ==
            PlanLexer::STAR) // the line of a layout, or of an optimizer's groups, may start with the pattern `*`
            return head_ == PlanLexer::LAYOUT || (head_ == PlanLexer::TRAIN && brackets_.size() == 2 &&
                                                  brackets_.back().type == PlanLexer::LEFT_BRACE);
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
            brackets_.push_back(
                {type == PlanLexer::LEFT_BRACE && choice_ ? static_cast<std::size_t>(PlanLexer::IF) : type, column_});
        if (type == PlanLexer::LEFT_BRACE)
            choice_ = false;
        if (closes(type) && !brackets_.empty())
            brackets_.pop_back();
    }

    TokenList kept_;
    std::unique_ptr<antlr4::Token> separator_; ///< read, not yet kept
    struct Bracket {
        std::size_t type;   ///< IF for the brace of a choice or fold
        std::size_t column; ///< of the first token of its line
    };
    std::vector<Bracket> brackets_;           ///< that are open
    std::unique_ptr<antlr4::Token> line_end_; ///< the last one before the current token
    std::size_t column_ = 0;                  ///< of the first token of the current line
    std::set<std::size_t> given_up_;
    std::size_t head_ = 0; ///< the word at the head of the declaration
    bool choice_ = false;  ///< the next brace is that of a choice or fold
};

/// L2: a comment goes to the end of the line. It is kept, but it is not a token of the grammar.
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

/// The length of the sign, `#` or `/*`, that starts a comment in other languages; 0 if there is none here.
std::size_t foreign_comment(support::SourceRange where, const Places &places) {
    const std::string_view text = places.text_from(where.begin);
    return text.starts_with("#") ? 1 : text.starts_with("/*") ? 2 : 0;
}

std::int32_t end_of_block(support::SourceRange where, const Places &places) {
    const std::string_view text = places.text_from(where.begin);
    const std::size_t end = std::min(text.find("*/", 2), text.size() - 2) + 2;
    return where.begin + static_cast<std::int32_t>(end);
}

} // namespace

Tokens tokenize(const Places &places) {
    Tokens result;
    result.characters = std::make_unique<antlr4::ANTLRInputStream>(std::string(places.text()));
    result.lexer = std::make_unique<PlanLexer>(result.characters.get());
    result.lexer->removeErrorListeners();
    Filter filter;
    support::SourceRange previous; // the token before, line ends left out
    support::SourceRange last;
    bool hash = false;               // in a comment that began with '#'
    std::int32_t end_of_comment = 0; // of one that began with '/*'
    for (;;) {
        std::unique_ptr<antlr4::Token> token = result.lexer->nextToken();
        if (token->getType() == antlr4::Token::EOF) {
            result.tokens = filter.finish();
            result.given_up = filter.given_up();
            result.tokens.push_back(std::move(token));
            return result;
        }
        const support::SourceRange where = places.range(*token);
        const bool in_line = hash && token->getType() != PlanLexer::LINE_END;
        if (in_line || where.begin < end_of_comment)
            continue;
        hash = false;
        if (const std::size_t sign = foreign_comment(where, places); sign > 0) {
            result.foreign_comments.push_back({where.file, where.begin, where.begin + static_cast<std::int32_t>(sign)});
            hash = sign == 1;
            end_of_comment = hash ? 0 : end_of_block(where, places);
            continue;
        }
        if (token->getType() != PlanLexer::LINE_END)
            last = where;
        if (token->getType() == PlanLexer::COMMENT)
            result.comments.push_back(make_comment(*token, places, previous));
        else
            filter.take(std::move(token));
        previous = last;
    }
}

} // namespace planc::syntax
