// Searches plan by plan, for tiny networks where the sum over terms is not exact: branch and bound on the
// strategies of layers, until nothing is open (Land and Doig 1960).
#pragma once

#include "plan/solver/problem.h"

#include <functional>

namespace planc::plan {

/// Visits assignments until none that is left can take less than `best()` seconds. `offer(values)` evaluates one, and
/// may lower best(); the problem's minimum under its byte limit is only a lower bound of it. Returns a lower bound of
/// all admissible assignments, which is best() unless `is_done()` ended the search.
[[nodiscard]] double split_search(const Problem &problem, const std::function<void(const std::vector<int> &)> &offer,
                                  const std::function<double()> &best, const std::function<bool()> &is_done);

} // namespace planc::plan
