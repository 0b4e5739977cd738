#include "plan/pipeline/least_step.h"

#include "pipeline/makers.h"

#include <algorithm>

namespace planc::plan {

namespace {

/// The sum, over all ranks, of the work on one micro-batch of the ranks before each. None has more of it than `most`.
double before_all(double work, double most) {
    double sum = 0;
    for (int behind = 0; work > 0 && most > 0; ++behind, work -= most)
        sum += behind * std::min(work, most);
    return sum;
}

/// Whether each rank of the axis has one stage of one replica; where the schedule is open, it may have two.
bool has_one_stage_each(const PipelineRequest &wanted) {
    return !wanted.schedule.empty() && wanted.chunks == 1 && wanted.schedule != "chimera" &&
           !pipeline::is_table(wanted.schedule);
}

} // namespace

Seconds least_step(const LayerTimes &work, int microbatches, const Request &request, const Depth &depth,
                   Seconds at_most) {
    const double of_stage = static_cast<double>(request.ranks) / depth.ranks;
    const double forward = work.forward.value / of_stage;
    const double passing = (work.forward + work.input_gradients).value / of_stage;
    const double all = work.of_step(microbatches).value / of_stage;
    const double most = has_one_stage_each(*request.pipeline) ? at_most.value / microbatches : 0;
    return Seconds(std::max({passing, (all + before_all(forward, most)) / depth.ranks,
                             (microbatches * passing + before_all(passing, most)) / depth.ranks}));
}

} // namespace planc::plan
