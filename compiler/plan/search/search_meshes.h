// The search over all meshes: bounds, incumbents, and searches in the order of their bounds.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// The fastest plan, in which all ranks work on all layers. On an axis with the stages of a pipeline, nothing is split.
[[nodiscard]] Plan search_meshes(const Request &request);

} // namespace planc::plan
