// The pipeline schedules that a layout can have (P8).
#pragma once

#include <string>
#include <vector>

namespace planc::sema {

/// Those of the language that planc lowers. The names are those of pipeline/makers.h.
[[nodiscard]] inline const std::vector<std::string> &lowered_pipeline_schedules() {
    static const std::vector<std::string> names{"gpipe", "one_f_one_b", "interleaved", "zero_bubble",
                                                "zb_v",  "chimera",     "pipedream",   "pipedream_2bw"};
    return names;
}

/// Those that change the weights within the step. They compute something else than the others do.
[[nodiscard]] inline bool changes_weights(const std::string &schedule) {
    return schedule == "pipedream" || schedule == "pipedream_2bw";
}

} // namespace planc::sema
