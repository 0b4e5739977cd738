#include "certificate/certificate.h"
#include "certificate/pipelines.h"
#include "certificate/prover.h"
#include "certificate/space.h"

#include "support/parallel.h"

#include <algorithm>

namespace planc::certificate {

namespace {

/// The plan with the least price, if another was chosen; null: it was not.
const plan::PassedPlan *cheapest_of(const plan::Plan &plan) {
    const bool is_other = plan.simulated && plan.simulated->cheapest && !plan.pipeline &&
                          plan.simulated->cheapest->seconds < plan.cost->seconds();
    return is_other ? &*plan.simulated->cheapest : nullptr;
}

void claim(const plan::Request &request, const plan::Plan &plan, Certificate &result) {
    result.asked = asked(request);
    result.axes = plan.axes;
    result.sizes = plan.mesh.sizes;
    result.storage = plan.storage;
    if (plan.pipeline)
        result.pipeline = claim_of(request, *plan.pipeline);
    const cost::CostTable table = price_of(plan, request);
    for (const LayerId l : table.layers.ids()) {
        const cost::LayerRow &row = table.layers[l];
        result.layers.push_back(
            {row.name, plan.layers[l], row.compute_seconds().value, (row.seconds() - row.compute_seconds()).value});
    }
    result.cost = table.seconds().value;
    result.compute = table.compute.value;
    result.communication = table.communication.value;
    for (const cost::CollectiveRow &row : table.reshards)
        result.reshards += row.price.seconds().value;
    for (const cost::BucketRow &row : table.buckets)
        result.latency += row.price.seconds().value;
    result.memory = table.memory.total().value;
    if (const plan::PassedPlan *cheapest = cheapest_of(plan))
        result.cheapest = {cheapest->axes, cheapest->mesh.sizes, cheapest->storage, cheapest->layers,
                           cheapest->seconds.value};
    result.search_lower_bound = std::min(plan.lower_bound.value, least_cost(result));
}

/// The operation at which memory may keep the plan from being faster.
std::optional<OperationId> short_at(const plan::Request &request, const plan::Plan &plan) {
    if (byte_limit(request) > 0 && (plan.memory_decided || plan.gap() > 1e-9))
        return (cheapest_of(plan) != nullptr ? cheapest_of(plan)->cost : plan.cost)->memory.peak;
    return std::nullopt;
}

/// The bounds of all meshes and storages without a pipeline.
void prove_parts(const plan::Request &request, const plan::Plan &plan, Certificate &result) {
    for (const Shape &shape : shapes(request))
        for (const Storage &storage : storages(request, shape.mesh, shape.axes))
            result.parts.push_back({shape.axes, shape.mesh.sizes, storage, 0, {}});
    const sharding::GraphIndex index(request.graph);
    const StepScopes step(index, request.machine, request.larger ? request.larger->count : 0);
    // No bound exceeds the least known price.
    const double target = least_cost(result);
    const PricedPlan best =
        result.cheapest.value_or(PricedPlan{result.axes, result.sizes, result.storage, plan.layers, result.cost});
    const std::vector<std::size_t> meshes = first_parts(result.parts);
    support::in_parallel(meshes.size() - 1, [&](std::size_t m) {
        const Shape shape{result.parts[meshes[m]].axes, {result.parts[meshes[m]].sizes}};
        const auto options = strategies(request, shape);
        Pricing pricing(step, shape.mesh, request.machine);
        for (std::size_t p = meshes[m]; p < meshes[m + 1]; ++p) {
            Part &part = result.parts[p];
            Terms terms(step, pricing, part.storage, byte_limit(request), options);
            const bool has_it = part.axes == best.axes && part.sizes == best.sizes && part.storage == best.storage;
            Prover(terms, request, target, short_at(request, plan)).run(has_it ? best.layers : LayerStrategies{}, part);
        }
    });
    result.lower_bound = target;
    for (const Part &part : result.parts)
        result.lower_bound = std::min(result.lower_bound, part.lower_bound);
}

} // namespace

std::vector<std::size_t> first_parts(const std::vector<Part> &parts) {
    std::vector<std::size_t> result;
    for (std::size_t p = 0; p < parts.size(); ++p)
        if (p == 0 || parts[p].axes != parts[p - 1].axes || parts[p].sizes != parts[p - 1].sizes)
            result.push_back(p);
    result.push_back(parts.size());
    return result;
}

Certificate prove(const plan::Request &request, const plan::Plan &plan) {
    Certificate result;
    claim(request, plan, result);
    if (plan.pipeline) {
        result.depths = depths(request, result.cost);
        result.lower_bound = result.cost;
        for (const Depth &depth : result.depths)
            result.lower_bound = std::min(result.lower_bound, depth.lower_bound);
    } else {
        prove_parts(request, plan, result);
    }
    result.gap = gap_of(result);
    return result;
}

} // namespace planc::certificate
