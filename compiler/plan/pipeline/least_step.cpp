#include "plan/pipeline/least_step.h"

#include <algorithm>
#include <limits>

namespace planc::plan {

namespace {

/// The sum, over all stages, of the work on one micro-batch of the stages before each. No stage has more of it than
/// `most`.
double before_all(double work, double most) {
    double sum = 0;
    for (int behind = 0; work > 0 && most > 0; ++behind, work -= most)
        sum += behind * std::min(work, most);
    return sum;
}

} // namespace

LayerTimes whole_work(const Request &request) {
    const Mesh one{std::vector<int>(1, 1)};
    LayerStrategies layers;
    layers.assign(request.graph.layers.size(), LayerStrategy{{""}, {}});
    Request alone = request;
    alone.larger.reset();
    if (alone.machine.kernels.cache) // smaller blocks may fit into it
        alone.machine.kernels.cache->bytes = std::numeric_limits<double>::infinity();
    LayerTimes work;
    for (const LayerTimes &each : layer_times(evaluate(alone, one, {"one"}, layers)))
        work += each;
    return work;
}

Seconds least_step(const LayerTimes &work, int microbatches, int ranks, const Depth &depth, Seconds at_most) {
    const double of_stage = static_cast<double>(ranks) / depth.ranks;
    const double forward = work.forward.value / of_stage;
    const double waited_for = (work.forward + work.input_gradients).value / of_stage;
    const double most = at_most.value / microbatches;
    const double with_all = (work.of_step(microbatches).value / of_stage + before_all(forward, most)) / depth.ranks;
    const double between = (microbatches * waited_for + before_all(waited_for, most)) / depth.ranks;
    return Seconds(std::max({waited_for, with_all, between}));
}

} // namespace planc::plan
