// Names in the bodies of networks and layers: each is bound before, or a parameter, a dimension, a layer, a primitive.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

void check_names(const syntax::CallableDeclaration &callable, int unit, Analysis &analysis);

[[noreturn]] void fail_unknown_name(const Context &context, const std::string &name, SourceRange where,
                                    const std::vector<std::string> &candidates);
/// `unit`: the file that calls it.
[[noreturn]] void fail_unknown_function(const Analysis &analysis, const std::string &name, SourceRange where, int unit);

} // namespace planc::sema
