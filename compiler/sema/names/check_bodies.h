// What can be said about networks and layers without elaborating them, so that also what is never called, and branches
// that are never taken, are checked: names are known, every way through a body returns, signatures are well formed.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

void check_bodies(Analysis &analysis);

} // namespace planc::sema
