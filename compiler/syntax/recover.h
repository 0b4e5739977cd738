// What the parser does at a mistake: it stops, or it reports it and goes on behind the statement, the setting, the line
// or the declaration in which the mistake is. Nothing is guessed or inserted.
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
    /// Called where a repetition can go on or end: here both are still expected, behind it only what follows.
    void sync(antlr4::Parser *parser) override;
};

/// Collects mistakes. A rule in which there is one has an exception in its context, up to and including the item (the
/// statement, setting, line of a layout, declaration) that is given up.
class Recovering : public StopAtFirst {
  public:
    void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override;
    void recover(antlr4::Parser *parser, std::exception_ptr e) override;
    void sync(antlr4::Parser *parser) override;

    /// In the order in which they were met.
    [[nodiscard]] const std::vector<Unexpected> &mistakes() const { return mistakes_; }
    /// Indices of the first tokens of declarations that were given up.
    [[nodiscard]] const std::set<std::size_t> &declarations() const { return declarations_; }
    /// Bodies that start with something that is no item.
    [[nodiscard]] const std::set<const antlr4::RuleContext *> &bodies() const { return bodies_; }

    /// Thrown at the next mistake: more are of no use to anybody.
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
    bool unwinding_ = false;          ///< the mistake is reported, on the way out to what is given up
    std::size_t mistakes_before_ = 0; ///< the declaration that is parsed
};

} // namespace planc::syntax
