// The price of a plan whose layers lie on stages: each stage by its own part of the graph, and the step by the
// schedule.
#pragma once

#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

/// As evaluate(), for the stages of the pipeline. Rows are those of all stages; memory and payload those of the ranks
/// with most.
[[nodiscard]] CostTable price_pipeline(const Request &request, const Plan &plan);
class StageLayouts;
/// The same for many plans of one request; `layouts` belong to it.
[[nodiscard]] CostTable price_pipeline(const Request &request, const Plan &plan, StageLayouts &layouts);

/// The schedules that a search chooses from, with one stage or two on each rank, the simplest first.
[[nodiscard]] const std::vector<std::string> &searched_schedules(int chunks);

/// The step of the same stages by another schedule: PipelineCost::with_barrier.
[[nodiscard]] Seconds seconds_with(const std::string &schedule, int ranks, int chunks, int microbatches,
                                   const cost::PipelineCost &cost);

/// Of its axis.
[[nodiscard]] int ranks_of_pipeline(const Plan &plan);

} // namespace planc::plan
