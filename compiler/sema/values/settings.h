// The `name = value` lines in the body of a declaration: each known, each at most once.
#pragma once

#include "sema/context.h"
#include "syntax/ast.h"

#include <map>
#include <string>
#include <vector>

namespace planc::sema {

class Settings {
  public:
    /// `owner`: "machine 'skylake'", for messages; `where`: its name.
    Settings(const Context &context, std::string owner, SourceRange where, const std::vector<syntax::Setting> &settings,
             const std::vector<std::string> &known);

    /// The setting of this name; null if it is absent. Gives up if it did not parse.
    [[nodiscard]] const syntax::Setting *find(const std::string &name) const;
    [[nodiscard]] const syntax::Setting &require(const std::string &name) const;
    /// What may follow a value in braces.
    enum class Braces : std::uint8_t { none, groups, table };
    /// The value of a setting. A split by shares, which has no value, is an error, and so are other braces.
    [[nodiscard]] const syntax::Expression &value(const syntax::Setting &setting, Braces braces = Braces::none) const;

  private:
    const Context &context_;
    std::string owner_;
    SourceRange where_;
    std::map<std::string, const syntax::Setting *> settings_;
    bool complete_ = true; ///< no setting failed; else a missing one may be the one that failed
};

/// "'a', 'b' or 'c'": for messages.
[[nodiscard]] std::string one_of(const std::vector<std::string> &words);
/// "'h1', 'h2', 'logits', …": the first few.
[[nodiscard]] std::string some_of(const std::vector<std::string> &names);
/// The word of an expression (`bucket`, `one_f_one_b`), which must be one of `known`.
[[nodiscard]] std::string expect_word(const Context &context, const syntax::Expression &expression,
                                      const std::string &what, const std::vector<std::string> &known);
/// The call of an expression, `star(latency = …)`, whose callee must be one of `known`.
[[nodiscard]] const syntax::Call &expect_call(const Context &context, const syntax::Expression &expression,
                                              const std::string &what, const std::vector<std::string> &known);

} // namespace planc::sema
