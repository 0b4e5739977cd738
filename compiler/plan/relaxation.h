// A lower bound of the objective that is cheap to tabulate: compute and what depends on one layer as it is, of all
// other values what must at least travel between two layers (transfer_bound.h). No routes are searched for it.
#pragma once

#include "plan/objective.h"

namespace planc::plan {

/// Terms of few layers, without bytes; under every choice their sum is at most that of make_objective()'s. Values that
/// more than `most_layers` decide on are bounded by what is known of two of these at a time.
[[nodiscard]] Objective relaxed_objective(const StepStructure &step, const Space &space, const Mesh &mesh,
                                          const Machine &machine, const Storage &storage, TermCache &cache,
                                          std::size_t most_layers = 2);

/// What of its terms depends on the storage.
[[nodiscard]] Objective relaxed_stored(const StepStructure &step, const Space &space, const Mesh &mesh,
                                       const Machine &machine, const Storage &storage, TermCache &cache);

} // namespace planc::plan
