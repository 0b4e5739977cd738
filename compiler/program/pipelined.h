// The table maker of pipelines: it follows a pipeline schedule, and adds the transfers between the stages.
#pragma once

#include "pipeline/schedule.h"
#include "program/micro_batches.h"
#include "program/program.h"

#include <vector>

namespace planc::program {

/// The bodies of a stage for one kind of micro-batch; -1: there is nothing to do.
struct StageBodies {
    MicroBatchKind kind;
    int stage = 0; ///< a part of the schedule: of each replica of the weights its own
    int forward = -1;
    int backward = -1;        ///< B; where the schedule has both gradients apart anywhere, I
    int weight_gradient = -1; ///< W, which also ends B; none where no W occurs in the schedule
    /// After all micro-batches, of the kind that updates: those that need nothing of other stages' updates, those that
    /// need what these make, and so on. Where the schedule lets the weights change within the step, they run at once
    /// behind the backward pass of the micro-batch, and there may be only the first kind.
    std::vector<int> update = {};
};

/// Actions for every role. Rank r of the schedule is role r of the program, whose roles, values, bodies, transfers and
/// micro-batches are complete. A body is preceded by the receives of what it takes, and followed by the sends of what
/// it gives; the receives of the next body begin before it, where its slot is free. What stages of one role pass on is
/// moved at once. A `wait` for what was sent comes before its place is written again. Messages arrive in the order in
/// which they are sent, so neighbouring stages must take micro-batches in the same order: otherwise the proof fails
/// (messages/prove.h). Throws std::invalid_argument if a stage has no bodies for a kind.
[[nodiscard]] std::vector<std::vector<Action>> pipelined(const Program &program, const pipeline::Schedule &schedule,
                                                         const std::vector<StageBodies> &stages);

} // namespace planc::program
