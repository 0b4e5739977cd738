// A fitted machine as the text of a .plan file; comments say how well its rates predict the measurements.
#pragma once

#include "calibrate/fit.h"

#include <cstdint>
#include <string>

namespace planc::calibrate {

/// `ranks` on one node. Run the formatter to get the canonical form.
[[nodiscard]] std::string machine_text(const Fit &fit, const std::string &name, std::int64_t ranks);

} // namespace planc::calibrate
