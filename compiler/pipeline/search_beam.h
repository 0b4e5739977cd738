// A good schedule, fast and without a proof, to begin the search with.
#pragma once

#include "pipeline/known_states.h"

#include <cstdint>
#include <optional>

namespace planc::pipeline {

struct Found {
    int makespan = 0;
    std::vector<std::vector<Action>> actions; ///< by rank
};

/// Follows the most promising states only, those with the least bound, a few hundred at each step. Empty if it finds
/// nothing faster than `makespan`. Visits about `most_visits` states at most; adds their number to `visits`.
[[nodiscard]] std::optional<Found> beam(Rules &rules, std::int64_t makespan, std::int64_t most_visits,
                                        std::int64_t &visits);

} // namespace planc::pipeline
