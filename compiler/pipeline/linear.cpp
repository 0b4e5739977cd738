// Makers with one stage on each rank.
#include "pipeline/build.h"
#include "pipeline/makers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace planc::pipeline {

namespace {

/// After at most D - s forwards, stage s alternates: one backward, one forward.
Schedule alternating(std::string name, int ranks, int micro_batches) {
    Schedule schedule = empty_schedule(std::move(name), ranks, micro_batches);
    for (int stage = 0; stage < ranks; ++stage) {
        std::vector<Action> &actions = schedule.actions[static_cast<std::size_t>(stage)];
        const int ahead = std::min(ranks - stage, micro_batches);
        for (int m = 0; m < ahead; ++m)
            actions.push_back({Kind::forward, stage, m});
        for (int m = 0; m < micro_batches; ++m) {
            actions.push_back({Kind::backward, stage, m});
            if (m + ahead < micro_batches)
                actions.push_back({Kind::forward, stage, m + ahead});
        }
    }
    return schedule;
}

} // namespace

Schedule gpipe(int ranks, int micro_batches) {
    Schedule schedule = empty_schedule("GPipe", ranks, micro_batches);
    for (int stage = 0; stage < ranks; ++stage)
        for (const Kind kind : {Kind::forward, Kind::backward})
            for (int m = 0; m < micro_batches; ++m)
                schedule.actions[static_cast<std::size_t>(stage)].push_back({kind, stage, m});
    return schedule;
}

Schedule one_f_one_b(int ranks, int micro_batches) {
    return alternating("1F1B", ranks, micro_batches);
}

Schedule pipedream(int ranks, int micro_batches) {
    Schedule schedule = alternating("PipeDream", ranks, micro_batches);
    schedule.weights = Weights::stashed;
    return schedule;
}

Schedule pipedream_2bw(int ranks, int micro_batches, int accumulated) {
    Schedule schedule = alternating("PipeDream-2BW", ranks, micro_batches);
    if (accumulated < std::max(ranks - 1, 1))
        throw std::invalid_argument("PipeDream-2BW on " + std::to_string(ranks) + " ranks accumulates at least " +
                                    std::to_string(std::max(ranks - 1, 1)) + " micro-batches before an update, not " +
                                    std::to_string(accumulated));
    schedule.weights = Weights::two_versions;
    schedule.accumulated = accumulated;
    return schedule;
}

Schedule zero_bubble(int ranks, int micro_batches) {
    Schedule schedule = empty_schedule("ZB-H1", ranks, micro_batches);
    for (int stage = 0; stage < ranks; ++stage) {
        // As 1F1B with I in place of B. Stage s puts off W by s micro-batches, which fill its bubble at the end.
        std::vector<Action> &actions = schedule.actions[static_cast<std::size_t>(stage)];
        const int ahead = std::min(ranks - stage, micro_batches);
        for (int m = 0; m < ahead; ++m)
            actions.push_back({Kind::forward, stage, m});
        for (int m = 0; m < micro_batches; ++m) {
            actions.push_back({Kind::input_gradient, stage, m});
            if (m >= stage)
                actions.push_back({Kind::weight_gradient, stage, m - stage});
            if (m + ahead < micro_batches)
                actions.push_back({Kind::forward, stage, m + ahead});
        }
        for (int m = std::max(0, micro_batches - stage); m < micro_batches; ++m)
            actions.push_back({Kind::weight_gradient, stage, m});
    }
    return schedule;
}

Schedule zero_bubble_2(int ranks, int micro_batches) {
    Schedule schedule = empty_schedule("ZB-H2", ranks, micro_batches);
    order_greedily(schedule, {.split = true, .alive = 2 * ranks - 1});
    return schedule;
}

} // namespace planc::pipeline
