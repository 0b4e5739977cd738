// A lower bound of the objective that is cheap to tabulate. Computation, and everything that depends on one layer, is
// exact; for all other values it counts what must at least travel between two layers (transfer_bound.h). It does not
// search for routes.
#pragma once

#include "plan/terms/objective.h"

namespace planc::plan {

/// Terms of few layers, without bytes. Under every choice, their sum is at most that of make_objective()'s. If more
/// than `most_layers` layers determine a value, it is bounded by two of them at a time.
[[nodiscard]] Objective relaxed_objective(const StepStructure &step, const Space &space, const Mesh &mesh,
                                          const Machine &machine, const Storage &storage, TermCache &cache,
                                          std::size_t most_layers = 2);

/// The terms that depend on the storage.
[[nodiscard]] Objective relaxed_stored(const StepStructure &step, const Space &space, const Mesh &mesh,
                                       const Machine &machine, const Storage &storage, TermCache &cache);

} // namespace planc::plan
