// search() among the strategies alone that a plan as fast as the best known may have: what a cheap relaxation of the
// objective (relaxation.h) bounds above it is left out before prices are tabulated.
//
// Exact: first among a few strategies a layer, those of the least bounds. If the best of them takes no more than the
// bound of anything that was left out, it is the best of all; else it is a limit by which to choose again.
#pragma once

#include "plan/search.h"

namespace planc::plan {

/// As search(). What is left out, of all plans within the byte limit, takes at least `give_up_at` or what was found.
[[nodiscard]] Found narrowed_search(const Request &request, const StepStructure &step, const MeshShape &shape,
                                    const Space &space, const Storage &storage, TermCache &cache, double byte_limit,
                                    double give_up_at);

} // namespace planc::plan
