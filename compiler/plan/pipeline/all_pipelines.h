// All pipelines of a small network: every mesh, split, storage and cut.
#pragma once

#include "plan/pipeline/stages.h"

#include <functional>
#include <vector>

namespace planc::plan {

/// Calls `visit` with all pipelines of a depth, of each of these kinds, whose stages are left open. Returns false if
/// they are more than `most`, or if there are none. `inner`: the request with this depth, on so many ranks of its axis.
bool visit_all(const Request &inner, const Cuts &cuts, const std::vector<PipelinePlan> &kinds, int ranks, double most,
               const std::function<void(const Plan &)> &visit);

} // namespace planc::plan
