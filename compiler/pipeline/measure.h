// Times of a pipeline schedule: makespan, period, bubble; and how many activations it keeps.
#pragma once

#include "pipeline/schedule.h"

#include <vector>

namespace planc::pipeline {

/// By stage, in any unit of time.
struct Durations {
    std::vector<double> forward;
    std::vector<double> input;    ///< I
    std::vector<double> weight;   ///< W
    std::vector<double> backward; ///< B; empty: I + W
    /// By border between a stage and the next, in both directions; empty: 0. A transfer between stages of one rank
    /// takes no time. A transfer occupies no rank: a result is usable that much later, and any number are under way at
    /// once. With `slots`, it begins only when the receiver has begun the action before.
    std::vector<double> transfer;
    std::vector<double> transfer_back = {}; ///< towards the stage before; empty: as the other
    /// By stage, how much longer its forward or backward pass waits for transfers, those of further stages too, if they
    /// have not begun before; empty: 0.
    std::vector<double> late = {};
    std::vector<double> late_back = {};
    std::vector<double> sizes = {}; ///< by micro-batch, for which all times are multiplied by it; empty: 1
    /// By rank and micro-batch, the place in memory where it works. A rank receives in a place that it uses in the
    /// action before, or that another micro-batch has used, only when that action is done (program/pipelined.h).
    std::vector<std::vector<int>> slots = {};
};

/// The same on all stages, without transfers.
[[nodiscard]] Durations equal_durations(int stages, double forward = 1, double input = 1, double weight = 1);

struct Span {
    double start = 0;
    double end = 0;
};

struct Measure {
    std::vector<std::vector<Span>> spans; ///< of one step that begins at 0, by rank and action
    double makespan = 0;                  ///< of one step, after which all ranks wait for each other
    /// Of steps that follow each other without that barrier: a rank begins its next step when it is done with this one,
    /// and the results that it needs are there. Updates take no time. It is the mean over many steps.
    double period = 0;
    double work = 0;                ///< of the busiest rank
    double bubble_with_barrier = 0; ///< makespan - work
    double bubble_back_to_back = 0; ///< period - work
    std::vector<int> alive; ///< by rank: the most stages times micro-batches between start of F and end of W or B
    std::vector<int> alive_by_stage; ///< the same for each stage, on the rank with most
};

/// Spans, makespan, work and activations take time in proportion to the actions; the period in proportion to ranks ×
/// actions + ranks³. The schedule has no fault(). Throws std::invalid_argument if the number of durations is wrong, or
/// one is negative.
[[nodiscard]] Measure measure(const Schedule &schedule, const Durations &durations);

/// The spans alone, and the makespan alone, in proportion to the actions.
[[nodiscard]] std::vector<std::vector<Span>> spans_of(const Schedule &schedule, const Durations &durations);
[[nodiscard]] double makespan(const Schedule &schedule, const Durations &durations);

} // namespace planc::pipeline
