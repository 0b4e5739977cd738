// The search for a pipeline: its axis and depth, where it is cut, its schedule, and the splits inside its stages.
#pragma once

#include "plan/plan.h"

#include <map>
#include <string>
#include <utility>

namespace planc::plan {

/// The fastest plan found with a pipeline as Request::pipeline asks for; what it leaves open is searched. For each
/// depth, the splits are first those of the least work of all stages together. The layers are then cut into stages of
/// about equal work, the cuts are moved while that helps, and where memory is short each stage gets splits of its own.
/// `lower_bound`: no division of the computation among stages and ranks is faster (least_step.h).
[[nodiscard]] Plan search_pipelines(const Request &request);

/// What is known of pipelines before their step is derived.
struct PipelineChance {
    bool may_win = true;
    Seconds bound{};  ///< if none may win: no pipeline takes less, or none was faster than what is known
    double share = 0; ///< Plan::share
};

/// Whether a depth may win, by its axis and its number of ranks. The micro-batches do not matter, and neither does a
/// step that is known later: it is faster, so what was too slow stays so. What might win may not any more; trying it
/// then costs work.
using ChancesOfDepths = std::map<std::pair<std::string, int>, bool>;

/// Whether the step of the request, divided into so many micro-batches, may be faster than `at_most` with a pipeline of
/// one of the depths that are searched then. Micro-batches neither compute nor move less than the whole batch, so what
/// is too slow undivided, even if all data were in the cache, need not be divided. Only a little work is spent on the
/// answer. `known`: of the same request, for other numbers of micro-batches.
[[nodiscard]] PipelineChance chance_of_pipelines(const Request &request, int microbatches, Seconds at_most,
                                                 ChancesOfDepths &known);

} // namespace planc::plan
