// Which layers and networks own parameters, themselves or through what they call. The names of layers depend on it:
// only calls that own parameters appear in paths, and a layer that makes such calls is a composite, whose bindings are
// layers.
#pragma once

#include "sema/names/declarations.h"

#include <functional>
#include <map>

namespace planc::sema {

class Ownership {
  public:
    explicit Ownership(const Declarations &declarations) : declarations_(declarations) {}

    /// Whether a call of it creates parameters.
    [[nodiscard]] bool owns(const syntax::CallableDeclaration &callable);
    /// Whether it calls something that owns parameters.
    [[nodiscard]] bool composite(const syntax::CallableDeclaration &callable);
    /// The calls in one expression that own parameters, by callee, without the bodies of folds. Of the two branches of
    /// an `if`, the one with more calls of a callee counts.
    /// `shared`: what a local name is a call of (N8), null if it is none.
    using Shared = std::function<const syntax::CallableDeclaration *(const std::string &)>;
    [[nodiscard]] std::map<std::string, int> owning_calls(const syntax::Expression &expression, const Shared &shared);
    [[nodiscard]] const syntax::CallableDeclaration *callee(const syntax::Expression &expression) const;

  private:
    struct Answer {
        bool declares = false;
        bool calls = false;
    };
    const Answer &answer(const syntax::CallableDeclaration &callable);

    const Declarations &declarations_;
    std::map<const syntax::CallableDeclaration *, Answer> answers_;
};

} // namespace planc::sema
