// The part of a training step that a phase belongs to.
#pragma once

#include "schedule/functions.h"

#include <string>

namespace planc::schedule {

/// "update" is update; gradients and what is computed again are backward; all else, also none, is forward.
[[nodiscard]] Stage stage_of_phase(const std::string &phase);

} // namespace planc::schedule
