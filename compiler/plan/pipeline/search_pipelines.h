// The search for a pipeline: its axis and depth, where it is cut, its schedule, and the splits inside its stages.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// The fastest plan found with a pipeline as Request::pipeline asks for; what it leaves open is searched. For each
/// depth, the splits are first those of the least work of all stages together. The layers are then cut into stages of
/// about equal work, the cuts are moved while that helps, and where memory is short each stage gets splits of its own.
/// `lower_bound`: no division of the computation among stages and ranks is faster (least_step.h).
[[nodiscard]] Plan search_pipelines(const Request &request);

/// Whether the step of the request, divided into so many micro-batches, may be faster than `at_most` with a pipeline of
/// one of the depths that are searched then. Micro-batches neither compute nor move less than the whole batch, so the
/// bounds of the undivided step hold for them, and the divided one need not be derived.
[[nodiscard]] bool pipelines_may_win(const Request &request, int microbatches, Seconds at_most);

} // namespace planc::plan
