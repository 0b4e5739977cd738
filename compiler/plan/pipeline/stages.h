// Puts the layers of a plan on the stages of a pipeline.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// The stages that the request's pipeline has on the plan's mesh: by its cuts, or else those of about equal work, where
/// the stage with the most has the least possible. Returns why there are none: one line for the user; empty if there
/// are.
[[nodiscard]] std::string make_stages(const Request &request, const Plan &plan, PipelinePlan &pipeline);

} // namespace planc::plan
