// Names in the bodies of networks and layers: each is bound before, or a parameter, a dimension, a layer, a primitive.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

void check_names(const syntax::CallableDeclaration &callable, int unit, Analysis &analysis);

/// Reports an unknown name once for each file `unit` in which it occurs, but not if a declaration of it has failed.
void report_unknown_name(Analysis &analysis, const std::string &name, SourceRange where, int unit,
                         const std::vector<std::string> &candidates);
void report_unknown_function(Analysis &analysis, const std::string &name, SourceRange where, int unit,
                             const std::vector<std::string> &more_candidates = {});

} // namespace planc::sema
