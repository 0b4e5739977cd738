// How long the step of a pipeline takes: the makespan of its schedule, and the updates behind it.
//
// A rank updates its stages when its own backward passes are done. Updates that need what other stages sum up, such as
// the norm of all gradients, wait for it: a rank gets what it needs for them message by message.
#pragma once

#include "cost/price.h"
#include "pipeline/measure.h"

namespace planc::plan {

/// Times of the actions. Updates within the step are spread evenly over the micro-batches, behind whose backward passes
/// they run.
[[nodiscard]] pipeline::Durations durations(const pipeline::Schedule &schedule, const cost::PipelineCost &cost);

/// From the first action to the end of the last update. `spans`: of the actions, with these durations.
[[nodiscard]] support::Seconds end_of_updates(const pipeline::Schedule &schedule,
                                              const std::vector<std::vector<pipeline::Span>> &spans,
                                              const cost::PipelineCost &cost);

/// Of the steps that follow each other: the time for which the rank with most updates does nothing else.
[[nodiscard]] support::Seconds longest_update(const pipeline::Schedule &schedule, const cost::PipelineCost &cost);

} // namespace planc::plan
