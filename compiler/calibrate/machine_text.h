// A fitted machine as a .plan file, with how well its rates say what was measured in comments.
#pragma once

#include "calibrate/fit.h"

#include <cstdint>
#include <string>

namespace planc::calibrate {

/// `ranks` of one node. Canonical once it is formatted.
[[nodiscard]] std::string machine_text(const Fit &fit, const std::string &name, std::int64_t ranks);

} // namespace planc::calibrate
