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

WholeWork whole_work(const Request &request) {
    const Mesh one{std::vector<int>(1, 1)};
    LayerStrategies layers;
    layers.assign(request.graph.layers.size(), LayerStrategy{{""}, {}});
    Request alone = request;
    alone.larger.reset();
    if (alone.machine.kernels.cache) // smaller blocks may fit into it
        alone.machine.kernels.cache->bytes = std::numeric_limits<double>::infinity();
    const CostTable table = evaluate(alone, one, {"one"}, layers);
    WholeWork work;
    for (const cost::LayerRow &row : table.layers)
        for (std::size_t phase = 0; phase < row.compute.size(); ++phase) {
            const auto is = static_cast<sharding::Phase>(phase);
            const bool forward = is == sharding::Phase::forward || is == sharding::Phase::loss;
            const bool input = is == sharding::Phase::input_gradient || is == sharding::Phase::recompute;
            work.all += row.compute[phase];
            work.forward += forward ? row.compute[phase] : Seconds(0);
            work.waited_for += forward || input ? row.compute[phase] : Seconds(0);
        }
    return work;
}

Seconds least_step(const WholeWork &work, int microbatches, int ranks, const Depth &depth, Seconds at_most) {
    const double of_stage_ranks = static_cast<double>(ranks) / depth.ranks;
    const double n = microbatches;
    const double forward = work.forward.value / of_stage_ranks / n;
    const double waited_for = work.waited_for.value / of_stage_ranks / n;
    const double most = at_most.value / n;
    const double with_all = (work.all.value / of_stage_ranks + before_all(forward, most)) / depth.ranks;
    const double between = (n * waited_for + before_all(waited_for, most)) / depth.ranks;
    return Seconds(std::max({waited_for, with_all, between}));
}

} // namespace planc::plan
