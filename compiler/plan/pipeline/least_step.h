// How long a pipeline takes at least, by its computation alone.
#pragma once

#include "plan/pipeline/depths.h"
#include "plan/pipeline/layer_times.h"

namespace planc::plan {

/// A lower bound on a step with any synchronous schedule. `work`: the sum of whole_work(), for one of so many
/// micro-batches. With n of them, and f, i, w the times of a rank of the axis on one:
///
///   step >= sum over all ranks of f + i                   a micro-batch passes through all
///   step >= sum over the ranks before of f + n (f + i + w)    what a rank does begins after them
///   step >= sum over the ranks before of f + i + n (f + i)    and they need its input gradients after it
///
/// The mean of each over all ranks is returned, with the work on the last ones as far as `at_most`, a step that is
/// known, allows: there it delays the fewest. Ranks with several stages need not wait for all that the ranks before do.
[[nodiscard]] Seconds least_step(const LayerTimes &work, int microbatches, const Request &request, const Depth &depth,
                                 Seconds at_most);

} // namespace planc::plan
