// The arguments of a call by parameter: positional ones in order, the others by `name = value`.
#pragma once

#include "sema/context.h"
#include "syntax/ast.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace planc::sema {

class Arguments {
  public:
    /// Too many arguments, unknown names, an argument given twice and arrows are errors, except for the arrow that the
    /// parameter `mapped` needs. `is_dimension`: for a callee that takes dimensions, whether a name is one; dimensions
    /// are given with ':'.
    Arguments(const Context &context, const syntax::Call &call, std::vector<std::string> parameters,
              const std::string &mapped = "", const std::function<bool(const std::string &)> &is_dimension = {});

    /// Adds what another call gives; an argument that both give is an error.
    void add(const Arguments &other);
    /// Null if the argument is not given.
    [[nodiscard]] const syntax::CallArgument *find(const std::string &parameter) const;
    /// A missing argument is an error at the callee.
    [[nodiscard]] const syntax::CallArgument &require(const std::string &parameter) const;
    /// "'kernel' of 'conv'": for messages.
    [[nodiscard]] std::string what(const std::string &parameter) const;

  private:
    using IsDimension = std::function<bool(const std::string &)>;
    const syntax::CallArgument *&slot(const syntax::CallArgument &argument, std::size_t &next,
                                      const IsDimension &is_dimension);
    [[nodiscard]] std::vector<Note> on_unknown(const std::string &name, const IsDimension &is_dimension) const;

    const Context &context_;
    const syntax::Name &callee_;
    std::vector<std::string> parameters_;
    std::map<std::string, const syntax::CallArgument *> given_;
};

} // namespace planc::sema
