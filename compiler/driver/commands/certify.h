// The certificate of a plan that a command has found.
#pragma once

#include "driver/compilation.h"
#include "driver/options/options.h"

#include <string>

namespace planc::driver {

/// As JSON, for `planc verify`: with the options that ask for the same again. The compilation has its plan.
[[nodiscard]] std::string certificate_text(const Compilation &compilation, const Options &options);

} // namespace planc::driver
