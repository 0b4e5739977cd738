// Betters a pipeline step by step: the splits of one layer, the storage, or one cut at a time, also with new splits for
// all stages.
#pragma once

#include "plan/pipeline/stages.h"

#include <functional>

namespace planc::plan {

/// How a pipeline is priced, and whether one is better than another.
struct PipelineRules {
    std::function<Plan(Plan)> priced;
    std::function<bool(const Plan &, const Plan &)> is_better;
    std::function<Plan(Plan)> split_anew; ///< each stage in the way that is best for it; not priced
};

/// How many plans of a depth may be priced.
[[nodiscard]] double most_priced(const Request &request);

/// The plan that no single change betters, or the best one when the work is done that `Request::effort` allows: on
/// large networks nothing is tried. `inner`: the request with the depth of the plan.
[[nodiscard]] Plan bettered(const Request &inner, const Cuts &cuts, Plan plan, const PipelineRules &rules);

} // namespace planc::plan
