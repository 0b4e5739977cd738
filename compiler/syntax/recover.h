// The two reactions of the parser to a mistake: it stops, or it reports the mistake and continues after the statement,
// setting, line or declaration that contains it. Nothing is guessed or inserted.
#pragma once

#include "syntax/grammar/PlanParser.h"

#include <set>
#include <string>
#include <vector>

namespace planc::syntax {

struct Unexpected {
    antlr4::Token *token;
    std::string expected;
};

/// Throws the first mistake as Unexpected.
class StopAtFirst : public antlr4::DefaultErrorStrategy {
  public:
    void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override;
    antlr4::Token *recoverInline(antlr4::Parser *parser) override;
    /// Called where a repetition can continue or end. At this point the tokens of both cases are expected; later only
    /// those that follow the repetition.
    void sync(antlr4::Parser *parser) override;
};

/// Collects mistakes. The contexts of the rules around a mistake have an exception, up to and including the item (the
/// statement, setting, line of a layout, declaration) that is given up.
class Recovering : public StopAtFirst {
  public:
    void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override;
    void recover(antlr4::Parser *parser, std::exception_ptr e) override;
    void sync(antlr4::Parser *parser) override;

    /// The mistakes, in the order in which they were met.
    [[nodiscard]] const std::vector<Unexpected> &mistakes() const { return mistakes_; }
    /// Indices of the first tokens of declarations that were given up.
    [[nodiscard]] const std::set<std::size_t> &declarations() const { return declarations_; }
    /// Bodies that start with something that is not an item.
    [[nodiscard]] const std::set<const antlr4::RuleContext *> &bodies() const { return bodies_; }

    /// Thrown at the next mistake, because more of them are of no use.
    struct TooMany {};
    static constexpr std::size_t most_mistakes = 100;

  private:
    void add(Unexpected mistake);
    [[nodiscard]] std::size_t end_of_item(antlr4::Parser &parser, std::size_t first) const;
    [[nodiscard]] std::size_t end_of_declaration(antlr4::Parser &parser, std::size_t first) const;
    void give_up_declaration(antlr4::Parser &parser, std::size_t first);
    void skip_to_list(antlr4::Parser &parser);

    std::vector<Unexpected> mistakes_;
    std::set<std::size_t> declarations_;
    std::set<const antlr4::RuleContext *> bodies_;
    bool unwinding_ = false;          ///< a mistake was reported, and the item with it has not been left
    std::size_t mistakes_before_ = 0; ///< the current declaration
};

} // namespace planc::syntax
