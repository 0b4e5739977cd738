// search() among the strategies alone that a plan as fast as the best known may have: what a cheap relaxation of the
// objective (relaxation.h) bounds above it is left out before prices are tabulated.
//
// Exact: first among a few strategies a layer, those of the least bounds. If the best of them takes no more than the
// bound of anything that was left out, it is the best of all; else it is a limit by which to choose again.
#pragma once

#include "plan/marginals.h"
#include "plan/search.h"

namespace planc::plan {

/// What plans with each strategy of each layer take at least (infinite above `at_most`), and all plans together.
[[nodiscard]] Marginals bounds(const StepStructure &step, const Space &space, const MeshShape &shape,
                               const Machine &machine, const Storage &storage, TermCache &cache, double at_most);

/// A few strategies a layer, those of the least bounds.
struct Few {
    Space kept;
    double below = 0;        ///< all that are bounded by no more are among them
    double lower_bound = 0;  ///< of all plans with them
    std::vector<int> values; ///< the plan that this is the bound of; empty: there is none
};
[[nodiscard]] Few few_strategies(const StepStructure &step, const Space &space, const MeshShape &shape,
                                 const Machine &machine, const Storage &storage, TermCache &cache,
                                 const Marginals &bounds, double give_up_at);

/// As search(), given these bounds and the few strategies to begin with. What is left out, of all plans within the byte
/// limit, takes at least `give_up_at` or what was found.
[[nodiscard]] Found narrowed_search(const Request &request, const StepStructure &step, const MeshShape &shape,
                                    const Space &space, const Storage &storage, TermCache &cache,
                                    const Marginals &bounds, const Few &few, double byte_limit, double give_up_at);

} // namespace planc::plan
