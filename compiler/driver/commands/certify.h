// The certificate of a plan that a command has made.
#pragma once

#include "driver/options/options.h"
#include "driver/pipeline.h"

#include <string>

namespace planc::driver {

/// As JSON, for `planc verify`: with the options that ask for the same again. The pipeline has its plan.
[[nodiscard]] std::string certificate_text(const Pipeline &pipeline, const Options &options);

} // namespace planc::driver
