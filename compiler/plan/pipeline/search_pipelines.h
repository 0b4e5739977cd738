// The search for a pipeline: its axis and depth, where it is cut, its schedule, and the splits inside its stages.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// The fastest plan found with a pipeline as Request::pipeline asks for; what it leaves open is searched. For each
/// depth, the splits are first those of the least work of all stages together. The layers are then cut into stages of
/// about equal work, the cuts are moved while that helps, and where memory is short each stage gets splits of its own.
/// `lower_bound`: no division of the computation among stages and ranks is faster (least_step.h).
[[nodiscard]] Plan search_pipelines(const Request &request);

} // namespace planc::plan
