// What actions give and need, and a walk through all actions of a schedule in an order that their needs permit.
#pragma once

#include "pipeline/schedule.h"

#include <array>
#include <vector>

namespace planc::pipeline {

/// What one action gives and others need: the activations (F) or the gradient (B, I) of a stage on a micro-batch.
/// Numbers 0 … 2 · stages · micro_batches - 1.
[[nodiscard]] inline int result(const Schedule &schedule, bool gradient, int stage, int micro_batch) {
    return ((gradient ? schedule.stages : 0) + stage) * schedule.micro_batches + micro_batch;
}

/// The result of an action; -1 for W, which gives nothing that others need.
[[nodiscard]] int gives(const Schedule &schedule, const Action &action);

struct Need {
    int result = -1; ///< -1: none
    int stage = 0;   ///< which gives it
};

/// The at most two results that an action needs.
[[nodiscard]] std::array<Need, 2> needs(const Schedule &schedule, const Action &action);

/// Visits the actions of each rank in their order, and each only after the actions that it needs: `visit(rank,
/// action)`. Stops where ranks wait for each other. Returns the number of visited actions by rank. Takes time in
/// proportion to the actions. (What they take is counted by measure(), where ranks also wait for receivers.) Everything
/// that the actions name must exist, and no result be given twice.
template <class Visit> std::vector<std::size_t> walk(const Schedule &schedule, Visit visit) {
    const auto ranks = static_cast<std::size_t>(schedule.ranks);
    std::vector<std::size_t> visited(ranks, 0);
    std::vector<char> done(2 * static_cast<std::size_t>(schedule.stages * schedule.micro_batches), 0);
    std::vector<int> awaited(ranks, -1); // the result for which a rank waits
    std::vector<int> awake;
    for (int rank = schedule.ranks - 1; rank >= 0; --rank)
        awake.push_back(rank);
    const auto wake = [&](int stage, int micro_batch, int given) {
        if (stage < 0 || stage >= schedule.stages)
            return;
        const int rank = schedule.rank_of(stage, micro_batch);
        if (awaited[static_cast<std::size_t>(rank)] == given) {
            awaited[static_cast<std::size_t>(rank)] = -1;
            awake.push_back(rank);
        }
    };
    while (!awake.empty()) {
        const auto rank = static_cast<std::size_t>(awake.back());
        awake.pop_back();
        while (visited[rank] < schedule.actions[rank].size()) {
            const Action &action = schedule.actions[rank][visited[rank]];
            for (const Need &need : needs(schedule, action))
                if (need.result >= 0 && !done[static_cast<std::size_t>(need.result)])
                    awaited[rank] = need.result;
            if (awaited[rank] >= 0)
                break;
            visit(static_cast<int>(rank), action);
            ++visited[rank];
            if (const int given = gives(schedule, action); given >= 0) {
                done[static_cast<std::size_t>(given)] = 1;
                wake(action.stage + (action.kind == Kind::forward ? 1 : -1), action.micro_batch, given);
            }
        }
    }
    return visited;
}

} // namespace planc::pipeline
