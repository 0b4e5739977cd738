#include "certificate/certificate.h"
#include "certificate/prover.h"
#include "certificate/space.h"

#include "plan/parallel.h"

#include <algorithm>

namespace planc::certificate {

namespace {

void claim(const plan::Request &request, const plan::Plan &plan, Certificate &result) {
    result.asked = asked(request);
    result.axes = plan.axes;
    result.sizes = plan.mesh.sizes;
    result.storage = plan.storage;
    const cost::CostTable table = plan::evaluate(request, plan.mesh, plan.axes, plan.layers, plan.storage);
    for (std::size_t l = 0; l < table.layers.size(); ++l) {
        const cost::LayerRow &row = table.layers[l];
        result.layers.push_back({row.name, plan.layers[l], row.compute_seconds().value,
                                 (row.seconds() - row.compute_seconds()).value});
    }
    result.cost = table.seconds().value;
    result.compute = table.compute.value;
    result.communication = table.communication.value;
    for (const cost::CollectiveRow &row : table.reshards)
        result.reshards += row.price.seconds().value;
    for (const cost::BucketRow &row : table.buckets)
        result.latency += row.price.seconds().value;
    result.memory = table.memory.total().value;
    result.search_lower_bound = std::min(plan.lower_bound.value, result.cost);
}

} // namespace

Certificate prove(const plan::Request &request, const plan::Plan &plan) {
    Certificate result;
    claim(request, plan, result);
    for (const Shape &shape : shapes(request))
        for (const Storage &storage : storages(request, shape.mesh, shape.axes))
            result.parts.push_back({shape.axes, shape.mesh.sizes, storage, 0, {}});
    const sharding::GraphIndex index(request.graph);
    const StepScopes step(index, request.larger ? request.larger->count : 0);
    plan::in_parallel(result.parts.size(), [&](std::size_t p) {
        Part &part = result.parts[p];
        const Mesh mesh{part.sizes};
        const auto options = strategies(request, {part.axes, mesh});
        Terms terms(step, mesh, request.machine, part.storage, byte_limit(request), options);
        const bool chosen = part.axes == result.axes && part.sizes == result.sizes && part.storage == result.storage;
        Prover(terms, request, result.cost, plan.cost.memory.peak)
            .run(chosen ? plan.layers : std::vector<LayerStrategy>{}, part);
    });
    result.lower_bound = result.cost;
    for (const Part &part : result.parts)
        result.lower_bound = std::min(result.lower_bound, part.lower_bound);
    result.gap = result.cost > 0 ? (result.cost - result.lower_bound) / result.cost : 0;
    return result;
}

} // namespace planc::certificate
