// The best schedule of a small linear pipeline under a limit on activations, with a proof.
#pragma once

#include "pipeline/schedule.h"

#include <cstdint>
#include <vector>

namespace planc::pipeline {

/// In whole units of time, from 1 to 1000 each.
struct StageTimes {
    int forward = 1;
    int input = 1;
    int weight = 1;
};

struct SearchRequest {
    int ranks = 1;         ///< stage s on rank s; at most 64
    int micro_batches = 1; ///< at most 1000
    int alive = 1;         ///< the most micro-batches on a rank between the start of their F and the end of their W
    std::vector<StageTimes> times = {};   ///< by stage; empty: all 1
    std::int64_t most_states = 4'000'000; ///< visits to states after which the search gives up
};

struct Best {
    Schedule schedule;         ///< of F, I and W
    std::int64_t makespan = 0; ///< with a barrier
    std::int64_t bound = 0;    ///< no such schedule takes less
    bool proven = false;       ///< makespan = bound
    std::int64_t states = 0;   ///< visits
};

/// The same request always gives the same answer. Throws std::invalid_argument if a number is out of its range.
///
/// The search (A*) goes through the states between actions. Three facts keep them few:
/// - Micro-batches are alike, so that they can pass every stage in order, in each kind of action: give the k-th F of a
///   stage to micro-batch k, and likewise I and W. An action that ran k-th still finds k of each that it needs done. A
///   state is therefore three numbers for each rank, and what runs.
/// - Where all actions take the same time, a rank that can run something does: what it does early it need not do later,
///   and an F that is done early keeps no activation beside those that the other schedule keeps when it runs that F.
/// - The bound on the time that is left follows chains of actions through all ranks, including that F of micro-batch
///   k + alive waits for W of micro-batch k on its rank, and on each rank counts the actions that must come before.
[[nodiscard]] Best best_schedule(const SearchRequest &request);

} // namespace planc::pipeline
