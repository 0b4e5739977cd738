#include "plan/bounds/least_computation.h"

#include "cost/kernels/work.h"
#include "sharding/stage_recomputation.h"

#include <limits>

namespace planc::plan {

Machine with_all_in_cache(Machine machine) {
    if (machine.kernels.cache)
        machine.kernels.cache->bytes = std::numeric_limits<double>::infinity();
    return machine;
}

CostTable whole_work(const Request &request) {
    const Graph graph = sharding::with_least_recomputation(request.graph);
    const Machine machine = with_all_in_cache(request.machine);
    const PerOperation<sharding::SharedWork> works = cost::work_of_operations(graph, machine);
    CostTable table;
    table.layers.resize(graph.layers.size());
    table.microbatches = graph.microbatches;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        const Seconds seconds = (operation.per_step ? graph.weights.updates : graph.microbatches) *
                                cost::least_seconds(operation, works[o], machine);
        table.layers[operation.layer].compute[static_cast<std::size_t>(operation.phase)] += seconds;
        table.compute += seconds;
    }
    return table;
}

Seconds least_computation(const Request &request) {
    return (1.0 / request.ranks) * whole_work(request).seconds();
}

} // namespace planc::plan
