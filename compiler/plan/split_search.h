// Where memory binds and a sum over terms does not say all of it: plans told apart by the strategies of their layers,
// until nothing is open (branch and bound, Land and Doig 1960).
#pragma once

#include "plan/problem.h"

#include <functional>

namespace planc::plan {

/// Visits assignments until none that is left can take less than `best()` seconds: `offer(values)` looks at one, and
/// may lower best(). The problem's minimum under its byte limit is a bound of what is offered, no more. Returns a lower
/// bound of all assignments that may be taken, which is best() unless there were too many to visit.
[[nodiscard]] double split_search(const Problem &problem, const std::function<void(const std::vector<int> &)> &offer,
                                  const std::function<double()> &best);

} // namespace planc::plan
