// Pipelines that change the weights within the step: what they cannot do.
#pragma once

#include "plan/plan.h"

#include <string>

namespace planc::plan {

/// Whether the weights change within the step of a layout's schedule (pipeline/makers.h: made_by()).
[[nodiscard]] bool changes_weights(const std::string &schedule);

/// Returns an empty text, or why the request's schedule cannot change weights on so many ranks with these stages, in
/// one line. Each stage makes its updates on its own, while others work on other micro-batches: an update cannot wait
/// for their gradients, since the next micro-batches wait for it.
[[nodiscard]] std::string fault_of_changes(const Request &request, int ranks, const sharding::LayerStages &stages);

} // namespace planc::plan
