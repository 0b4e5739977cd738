// Changes of single layers: the best other strategy of each.
#pragma once

#include "plan/plan.h"
#include "plan/space/space.h"
#include "plan/terms/objective.h"

#include <optional>

namespace planc::plan {

/// The best other strategy of each layer with all other layers unchanged, within the byte limit (0: none) on
/// what lives through the step.
[[nodiscard]] PerLayer<std::optional<RunnerUp>> runner_ups(const StepStructure &step, const MeshShape &shape,
                                                           const Space &space, const Machine &machine,
                                                           const Storage &storage, TermCache &cache,
                                                           const LayerStrategies &layers, double byte_limit);

} // namespace planc::plan
