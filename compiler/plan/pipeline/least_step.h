// How long a pipeline takes at least, by its computation alone.
#pragma once

#include "plan/pipeline/depths.h"
#include "plan/pipeline/layer_times.h"

namespace planc::plan {

/// The computation on one rank, as if all data were in its cache. No division among ranks does it in less time
/// altogether: kernels on smaller blocks are not faster for each element, but for caches.
[[nodiscard]] LayerTimes whole_work(const Request &request);

/// A lower bound on a step with any synchronous schedule of so many stages on each rank of the axis. With micro-batches
/// n, and f, i, w the times of a stage s on one of them:
///
///   step >= sum over all stages of f + i                   a micro-batch passes through all
///   step >= sum over the stages before s of f + n (f + i + w)   what s does begins after them
///   step >= sum over the stages before s of f + i + n (f + i)   and they need its input gradients after it
///
/// The mean of each over all s is returned, with the work on the last stages as far as `at_most`, a step that is known,
/// allows: there it delays the fewest.
[[nodiscard]] Seconds least_step(const LayerTimes &work, int microbatches, int ranks, const Depth &depth,
                                 Seconds at_most);

} // namespace planc::plan
