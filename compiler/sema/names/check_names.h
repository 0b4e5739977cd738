// Names in the bodies of networks and layers: each is bound before, or a parameter, a dimension, a layer, a primitive.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

void check_names(const syntax::CallableDeclaration &callable, int unit, Analysis &analysis);

/// One error a name and file `unit`, in which it stands; none where a declaration of it has failed.
void report_unknown_name(Analysis &analysis, const std::string &name, SourceRange where, int unit,
                         const std::vector<std::string> &candidates);
void report_unknown_function(Analysis &analysis, const std::string &name, SourceRange where, int unit);

} // namespace planc::sema
