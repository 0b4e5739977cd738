// The smallest plan: where no plan keeps a limit on memory, it says how much is needed, and its program, which is exact
// where plans are estimates, may keep the limit yet.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// The plan with the least memory that is found without a pipeline, whatever its time and the limit. Inexact: on few
/// meshes and storages, those with the least bounds, and with few strategies of each layer. `known`: of another
/// plan; only one that may be smaller by a hundredth is of interest. Without one, Plan::failure is set.
[[nodiscard]] Plan smallest_plan(const Request &request, Bytes known);

} // namespace planc::plan
