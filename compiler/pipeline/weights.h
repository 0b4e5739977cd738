// Versions of the weights: which one a micro-batch works with, and how many a rank keeps.
#pragma once

#include "pipeline/schedule.h"

namespace planc::pipeline {

/// The version of a stage's weights with which a micro-batch works there; version v contains the first v updates.
/// - synchronous: 0;
/// - stashed: micro-batch t on stage s of n, both counted from 1, works with version t - n + s (Narayanan et al.,
///   PipeDream, SOSP 2019, section 3.3), and the first ones with version 0;
/// - two_versions: the micro-batches of group g work with version g - 1, and the first group with version 0 (Narayanan
///   et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021, section 3.1).
[[nodiscard]] int weight_version(const Schedule &schedule, int stage, int micro_batch);

/// How many micro-batches must have gone backward on a stage before it has this version.
[[nodiscard]] int micro_batches_before(const Schedule &schedule, int version);

/// The number of updates of a step: the last one takes the micro-batches that are left.
[[nodiscard]] int updates_of_step(const Updates &updates, int micro_batches);
[[nodiscard]] inline Updates updates_of(const Schedule &schedule) {
    return {schedule.weights, schedule.accumulated};
}

/// By stage: whether an update comes between the forward pass of a micro-batch and its backward pass, which needs the
/// weights of the forward pass all the same. Only `stashed` schedules have such stages.
[[nodiscard]] std::vector<bool> stages_that_stash(const Schedule &schedule);

/// By rank: the most versions of one stage's weights that are kept at the same time: those of micro-batches that will
/// still go backward, and the newest. The schedule has no fault().
[[nodiscard]] std::vector<int> kept_versions(const Schedule &schedule);

} // namespace planc::pipeline
