// Random pipeline schedules without a fault.
#pragma once

#include "pipeline/schedule.h"

#include <random>

namespace planc::pipeline {

struct RandomSizes {
    int ranks = 4;         ///< at most
    int chunks = 3;        ///< at most, on one rank
    int micro_batches = 5; ///< at most
};

/// Stages on random ranks, in one or two replicas, with B or with I and W for each stage and micro-batch, in a random
/// order of those that the needs of the actions permit.
[[nodiscard]] Schedule random_schedule(std::mt19937 &random, const RandomSizes &sizes = {});

} // namespace planc::pipeline
