// What the planner chose, what else there was, and why: the text of `planc explain`.
#pragma once

#include "plan/plan.h"

#include <string>

namespace planc::plan {

/// Per layer the choice with its cost and the runner-up with what it would add; the plans of the literature beside it;
/// the certificate; what rules and memory decided. `plan` is make_plan(request) without failure.
[[nodiscard]] std::string explain(const Request &request, const Plan &plan);

/// Answers "conv3: height -> cols": with the rule that forbids it, or the seconds that it would add with everything
/// else planned anew, and where. Also "fc1: hidden -> [rows, cols]", "fc1: hidden -> none".
[[nodiscard]] std::string why_not(const Request &request, const Plan &plan, const std::string &question);

} // namespace planc::plan
