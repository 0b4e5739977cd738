#include "plan/pipeline/least_step.h"

#include "cost/kernels/work.h"
#include "pipeline/makers.h"
#include "sharding/stage_recomputation.h"

#include <algorithm>
#include <limits>

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

LayerTimes whole_work(const Request &request) {
    const Mesh one{std::vector<int>(1, 1)};
    const sharding::Strategy whole{{-1}, {0}, {}};
    const Graph graph = sharding::with_least_recomputation(request.graph);
    Machine machine = request.machine;
    if (machine.kernels.cache) // smaller blocks may fit into it
        machine.kernels.cache->bytes = std::numeric_limits<double>::infinity();
    const PerOperation<sharding::Work> works = cost::work_of_operations(graph, machine);
    CostTable table;
    table.layers.resize(graph.layers.size());
    table.microbatches = graph.microbatches;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        table.layers[operation.layer].compute[static_cast<std::size_t>(operation.phase)] +=
            (operation.per_step ? graph.weights.updates : graph.microbatches) *
            cost::seconds_under(whole, operation, works[o], one, machine);
    }
    LayerTimes work;
    for (const LayerTimes &each : layer_times(table))
        work += each;
    return work;
}

Seconds least_step(const LayerTimes &work, const Request &request, const Depth &depth, Seconds at_most) {
    const int microbatches = request.graph.microbatches;
    const double of_stage = static_cast<double>(request.ranks) / depth.ranks;
    const double forward = work.forward.value / of_stage;
    const double passing = (work.forward + work.input_gradients).value / of_stage;
    const double all = work.of_step(microbatches).value / of_stage;
    const double most = has_one_stage_each(*request.pipeline) ? at_most.value / microbatches : 0;
    return Seconds(std::max({passing, (all + before_all(forward, most)) / depth.ranks,
                             (microbatches * passing + before_all(passing, most)) / depth.ranks}));
}

} // namespace planc::plan
