// A lower bound of the memory of all plans on one mesh, found before anything is searched: a request that no plan fits
// is refused at once.
#pragma once

#include "plan/bounds/marginals.h"
#include "plan/terms/objective.h"

#include <cstdint>

namespace planc::plan {

/// Bytes of a rank.
struct LeastMemory {
    double state = 0; ///< of parameters and the optimizer's state: no program takes less
    double total = 0; ///< of all that is in memory at some time
};

/// Counted is what lives through the step, and what passes at one operation, where it is produced or has its home: each
/// layer then decides about its own values alone, and takes the strategy with the least.
[[nodiscard]] LeastMemory least_memory(const StepStructure &step, const Space &space, const Mesh &mesh,
                                       const Machine &machine, const Storage &storage, TermCache &cache);

/// The same with each strategy of each layer: bytes in place of seconds.
[[nodiscard]] Marginals least_memory_of_strategies(const StepStructure &step, const Space &space, const Mesh &mesh,
                                                   const Machine &machine, const Storage &storage, TermCache &cache);

/// What lives through the step: each counts what the one before it does.
enum class Living : std::uint8_t {
    state,      ///< parameters and the optimizer's state
    gradients,  ///< also gradients
    activations ///< also activations, of one micro-batch
};
/// A lower bound of every plan, with a pipeline or without: what lives through the step, divided evenly among all
/// ranks. But for `activations`, it holds for any number of micro-batches.
[[nodiscard]] double evenly_divided(const Graph &graph, int ranks, Living counted);

} // namespace planc::plan
