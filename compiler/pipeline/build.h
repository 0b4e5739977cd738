// What the makers share.
#pragma once

#include "pipeline/schedule.h"

namespace planc::pipeline {

/// A schedule without actions, with one replica: stage s on rank s modulo the ranks. Throws std::invalid_argument if
/// a number is below 1, or the schedule would have more than 2^28 stages times micro-batches.
[[nodiscard]] Schedule empty_schedule(std::string name, int ranks, int micro_batches, int chunks = 1);

/// Removes all actions of micro-batches from `micro_batches` on. What is left is feasible if the whole was, since no
/// micro-batch waits for another.
void keep_first(Schedule &schedule, int micro_batches);

struct GreedyRules {
    bool split = false; ///< I and W instead of B
    int alive = 1;      ///< the most micro-batches whose activations are kept on a stage
};

/// Orders the actions of a schedule that has none yet, in steps of time in each of which every rank runs the first that
/// it can of: B or I of the oldest micro-batch, F of the oldest, W of the oldest. It always ends: the oldest
/// unfinished micro-batch of a replica can proceed, since a stage keeps activations of older ones only.
void order_greedily(Schedule &schedule, const GreedyRules &rules);

} // namespace planc::pipeline
