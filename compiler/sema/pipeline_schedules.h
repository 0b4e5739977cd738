// The pipeline schedules that a layout can have (P8), by the user's words.
#pragma once

#include <string>

namespace planc::sema {

/// Whether a schedule changes the weights within the step. It then computes something else than the others do.
[[nodiscard]] inline bool changes_weights(const std::string &schedule) {
    return schedule == "pipedream" || schedule == "pipedream_2bw";
}

} // namespace planc::sema
