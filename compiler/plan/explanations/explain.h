// The text of `planc explain`: the chosen plan, its alternatives, and the reasons.
#pragma once

#include "plan/plan.h"

#include <string>

namespace planc::plan {

/// Per layer the choice with its cost, and the runner-up with the cost that it would add; the plans of the literature;
/// the certificate; the effects of rules and memory. `plan` is make_plan(request) without failure.
[[nodiscard]] std::string explain(const Request &request, const Plan &plan);

/// The answer to a question, or what is wrong with the question; ends with a line end.
struct WhyNotAnswer {
    bool understood; ///< false: the question is misspelt, or names something that does not exist
    std::string text;
};

/// Answers "conv3: height -> cols": names the rule that forbids it, or the seconds that it would add with everything
/// else planned anew, and where. Also "fc1: hidden -> [rows, cols]", "fc1: hidden -> none".
[[nodiscard]] WhyNotAnswer why_not(const Request &request, const Plan &plan, const std::string &question);

} // namespace planc::plan
