// What the planner chose, what else there was, and why: the text of `planc explain`.
#pragma once

#include "plan/plan.h"

#include <string>

namespace planc::plan {

/// Per layer the choice with its cost and the runner-up with what it would add; the plans of the literature beside it;
/// the certificate; what rules and memory decided. `plan` is make_plan(request) without failure.
[[nodiscard]] std::string explain(const Request &request, const Plan &plan);

/// The answer to a question, or what is wrong with the question itself; ends with a line end.
struct WhyNotAnswer {
    bool understood; ///< false: the question is misspelt, or names what is not there
    std::string text;
};

/// Answers "conv3: height -> cols": with the rule that forbids it, or the seconds that it would add with everything
/// else planned anew, and where. Also "fc1: hidden -> [rows, cols]", "fc1: hidden -> none".
[[nodiscard]] WhyNotAnswer why_not(const Request &request, const Plan &plan, const std::string &question);

} // namespace planc::plan
