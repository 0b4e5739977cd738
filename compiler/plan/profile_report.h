// The table of a profile for people (text) and programs (JSON, CSV). The keys of JSON are documented in cost/README.md.
#pragma once

#include "plan/profile_plan.h"

#include <string>

namespace planc::plan {

/// By layer; `formulas`: the formula behind each figure.
[[nodiscard]] std::string text_report(const Request &request, const ProfilePlan &plan, const std::string &network,
                                      bool formulas);
[[nodiscard]] std::string json_report(const Request &request, const ProfilePlan &plan, const std::string &network);
/// One line per term, with a header line.
[[nodiscard]] std::string csv_report(const Request &request, const ProfilePlan &plan);

/// What was chosen, and every shape of the mesh beside it: the text of `planc explain --profile`.
[[nodiscard]] std::string explain(const Request &request, const ProfilePlan &plan);

} // namespace planc::plan
