// Checks of networks and layers that need no elaboration, so that layers that are never called and branches that are
// never taken are checked too: names are known, every path through a body returns, signatures are well formed.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

void check_bodies(Analysis &analysis);

} // namespace planc::sema
