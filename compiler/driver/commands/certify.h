// The certificate of a plan that a command has found.
#pragma once

#include "driver/compilation.h"
#include "driver/options/options.h"

#include <string>

namespace planc::driver {

/// The certificate as JSON, for `planc verify`. It contains the options that repeat the question. The compilation must
/// have its plan.
[[nodiscard]] std::string certificate_text(const Compilation &compilation, const Options &options);

} // namespace planc::driver
