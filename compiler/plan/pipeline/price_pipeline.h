// The price of a plan whose layers lie on stages: each stage by its own part of the graph, and the step by the
// schedule.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// As evaluate(), for the stages of the pipeline. Rows are those of all stages; memory and payload those of the ranks
/// with most.
[[nodiscard]] CostTable price_pipeline(const Request &request, const Plan &plan, const PipelinePlan &pipeline);

} // namespace planc::plan
