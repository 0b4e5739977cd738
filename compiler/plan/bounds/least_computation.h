// How long a step takes at least, by its computation alone.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

/// For bounds on smaller blocks, which may fit into the cache where larger ones do not.
[[nodiscard]] Machine with_all_in_cache(Machine machine);

/// The least computation of each layer (cost::least_seconds), as if all data were in the cache, as a table without
/// collectives. No division among ranks does it in less time altogether: kernels on smaller blocks are not faster for
/// each element, but for caches.
[[nodiscard]] CostTable whole_work(const Request &request);

/// Of any plan without a pipeline: an equal part of that.
[[nodiscard]] Seconds least_computation(const Request &request);

} // namespace planc::plan
