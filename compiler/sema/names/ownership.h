// Which layers and networks own parameters, by themselves or through what they call. Names of layers rest on it: only
// calls that own parameters appear in paths, and a layer that calls such others is a composite whose bindings are
// layers.
#pragma once

#include "sema/names/declarations.h"

#include <map>

namespace planc::sema {

class Ownership {
  public:
    explicit Ownership(const Declarations &declarations) : declarations_(declarations) {}

    /// Does a call of it create parameters?
    [[nodiscard]] bool owns(const syntax::CallableDeclaration &callable);
    /// Does it call something that owns parameters?
    [[nodiscard]] bool composite(const syntax::CallableDeclaration &callable);
    /// Calls that own parameters, by callee, in one expression without the bodies of folds; of the two sides of an
    /// `if`, the one with more of a callee counts.
    [[nodiscard]] std::map<std::string, int> owning_calls(const syntax::Expression &expression);

  private:
    const syntax::CallableDeclaration *callee(const syntax::Expression &expression) const;

    struct Answer {
        bool declares = false;
        bool calls = false;
    };
    const Answer &answer(const syntax::CallableDeclaration &callable);

    const Declarations &declarations_;
    std::map<const syntax::CallableDeclaration *, Answer> answers_;
};

} // namespace planc::sema
