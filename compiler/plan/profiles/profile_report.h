// The table of a profile for people (text) and programs (JSON, CSV). cost/reports/README.md documents the keys of JSON.
#pragma once

#include "plan/profiles/profile_plan.h"

#include <string>

namespace planc::plan {

/// By layer; `formulas`: the formula behind each figure.
[[nodiscard]] std::string text_report(const Request &request, const ProfilePlan &plan, const std::string &network,
                                      bool formulas);
[[nodiscard]] std::string json_report(const Request &request, const ProfilePlan &plan, const std::string &network);
/// One line per term, with a header line.
[[nodiscard]] std::string csv_report(const Request &request, const ProfilePlan &plan);

/// The text of `planc explain --profile`: the chosen plan, and the price on every shape of the mesh.
[[nodiscard]] std::string explain(const Request &request, const ProfilePlan &plan);

} // namespace planc::plan
