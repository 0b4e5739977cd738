#include "certificate/check_part.h"
#include "certificate/pipelines.h"
#include "certificate/space.h"

#include "cost/reports/report.h"
#include "support/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace planc::certificate {

namespace {

bool equal(double a, double b) {
    return std::isfinite(a) && std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

void check_asked(const Asked &claimed, const Asked &asked) {
    if (claimed.network != asked.network)
        throw Wrong{"it belongs to another network: operations, extents or dimensions differ"};
    if (claimed.machine != asked.machine)
        throw Wrong{"it belongs to a machine with other figures"};
    if (claimed.ranks != asked.ranks)
        throw Wrong{"it is for " + std::to_string(claimed.ranks) + " ranks, not for " + std::to_string(asked.ranks)};
    if (claimed.rules != asked.rules)
        throw Wrong{"it belongs to other rules of layout, mesh or storage"};
    if (claimed.memory_limit != asked.memory_limit)
        throw Wrong{"it is for a memory limit of " + cost::grouped(claimed.memory_limit) + " bytes a rank, not of " +
                    cost::grouped(asked.memory_limit)};
}

/// `sizes`: as claimed; those of an uneven mesh stand in the request.
void check_mesh(const std::vector<int> &sizes, const plan::Plan &plan, const plan::Request &request) {
    if (plan.pipeline) {
        if (sizes != plan.mesh.sizes)
            throw Wrong{"its mesh is not the one that was asked for"};
        if (const std::string fault = fault_of(plan, request); !fault.empty())
            throw Wrong{fault};
        return;
    }
    const std::vector<Shape> allowed = shapes(request);
    if (std::none_of(allowed.begin(), allowed.end(),
                     [&](const Shape &each) { return each.axes == plan.axes && each.mesh.sizes == plan.mesh.sizes; }))
        throw Wrong{"its mesh is not one that " + std::to_string(request.ranks) + " ranks may form"};
}

/// The request with the pipeline's axis.
plan::Request along_axis_of(const plan::Plan &plan, plan::Request request) {
    if (plan.pipeline)
        request.pipeline->axis = plan.pipeline->axis;
    return request;
}

/// Checks that the rules allow storage and strategies.
void check_strategies(const plan::Plan &plan, const plan::Request &request) {
    const std::vector<Storage> stored = storages(request, plan.mesh, plan.axes);
    if (std::find(stored.begin(), stored.end(), plan.storage) == stored.end())
        throw Wrong{"its storage is not among the choices"};
    std::map<std::vector<int>, PerLayer<Strategies>> known; // by the sizes of the mesh on which a layer lies
    for (const LayerId l : plan.layers.ids()) {
        const Shape shape = shape_of(plan, request, l);
        const auto [options, is_new] = known.try_emplace(shape.mesh.sizes);
        if (is_new)
            options->second = strategies(request, shape);
        const Strategies &allowed = options->second[l];
        if (std::find(allowed.begin(), allowed.end(), plan.layers[l]) == allowed.end())
            throw Wrong{"the strategy of layer '" + request.graph.layers[l].name + "' breaks the rules"};
    }
}

/// Checks that rules and mesh allow the plan.
void check_plan(const Certificate &claimed, const plan::Plan &plan, const plan::Request &asked) {
    if (claimed.pipeline.has_value() != wants_pipeline(asked))
        throw Wrong{claimed.pipeline ? "its plan has a pipeline, which the rules exclude" : "its plan has no pipeline"};
    if (claimed.layers.size() != asked.graph.layers.size())
        throw Wrong{"it has " + std::to_string(claimed.layers.size()) + " layers, the network " +
                    std::to_string(asked.graph.layers.size())};
    check_mesh(claimed.sizes, plan, asked);
    for (const LayerId l : plan.layers.ids())
        if (claimed.layers[l.index()].name != asked.graph.layers[l].name)
            throw Wrong{"its layer '" + claimed.layers[l.index()].name + "' is '" + asked.graph.layers[l].name +
                        "' of the network"};
    check_strategies(plan, along_axis_of(plan, asked));
}

void compare(const std::string &what, double claimed, double found, const char *unit) {
    if (!equal(claimed, found))
        throw Wrong{what + " " + text(found) + unit + ", but it claims " + text(claimed)};
}

/// Checks the cost of the plan, by cost::price().
void check_cost(const Certificate &claimed, const plan::Plan &plan, const plan::Request &request) {
    const cost::CostTable table = price_of(plan, request);
    double reshards = 0;
    double latency = 0;
    for (const cost::CollectiveRow &row : table.reshards)
        reshards += row.price.seconds().value;
    for (const cost::BucketRow &row : table.buckets)
        latency += row.price.seconds().value;
    compare("a step takes", claimed.cost, table.seconds().value, " s");
    compare("its compute takes", claimed.compute, table.compute.value, " s");
    compare("its communication takes", claimed.communication, table.communication.value, " s");
    compare("its reshards take", claimed.reshards, reshards, " s");
    compare("the latency of fused calls is", claimed.latency, latency, " s");
    for (const LayerId l : table.layers.ids()) {
        const cost::LayerRow &row = table.layers[l];
        const double compute = row.compute_seconds().value;
        compare("the compute of layer '" + row.name + "' takes", claimed.layers[l.index()].compute, compute, " s");
        compare("the communication of layer '" + row.name + "' takes", claimed.layers[l.index()].communication,
                (row.seconds() - row.compute_seconds()).value, " s");
    }
    const double memory = table.memory.total().value;
    compare("a rank needs", claimed.memory, memory, " bytes");
    if (const double limit = byte_limit(request); limit > 0 && memory > limit)
        throw Wrong{"a rank needs " + text(memory) + " bytes, but the limit is " + text(limit)};
    if (!(claimed.search_lower_bound <= least_cost(claimed)))
        throw Wrong{"the bound of the search is above the least cost"};
    if (!(claimed.lower_bound <= least_cost(claimed) * (1 + rounding)))
        throw Wrong{"the lower bound is above the least cost"};
    compare("the gap is", claimed.gap, gap_of(claimed), "");
}

/// Checks the plan that costs less than the one that was chosen.
void check_cheapest(const PricedPlan &claimed, double cost, const plan::Request &request) {
    plan::Plan plan;
    plan.axes = claimed.axes;
    plan.mesh = {claimed.sizes};
    plan.storage = claimed.storage;
    plan.layers = claimed.layers;
    try {
        if (wants_pipeline(request))
            throw Wrong{"it has no pipeline"};
        if (plan.layers.size() != request.graph.layers.size())
            throw Wrong{"it has " + std::to_string(plan.layers.size()) + " layers, the network " +
                        std::to_string(request.graph.layers.size())};
        check_mesh(claimed.sizes, plan, request);
        check_strategies(plan, request);
        const cost::CostTable table = price_of(plan, request);
        compare("a step takes", claimed.cost, table.seconds().value, " s");
        if (const double limit = byte_limit(request); limit > 0 && table.memory.total().value > limit)
            throw Wrong{"a rank needs " + text(table.memory.total().value) + " bytes, but the limit is " + text(limit)};
        if (!(claimed.cost <= cost * (1 + rounding)))
            throw Wrong{"it costs more than the plan that was chosen"};
    } catch (const Wrong &wrong) {
        throw Wrong{"the plan that costs least: " + wrong.line};
    }
}

/// Checks the bound of every depth.
void check_depths(const Certificate &claimed, const plan::Request &request) {
    const std::vector<Depth> all = depths(request, claimed.cost);
    if (claimed.depths.size() != all.size())
        throw Wrong{"it has bounds for " + std::to_string(claimed.depths.size()) +
                    " depths of a pipeline, but there are " + std::to_string(all.size())};
    double least = claimed.cost;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Depth &depth = claimed.depths[i];
        const std::string where = std::to_string(all[i].ranks) + " ranks along '" + all[i].axis + "'";
        if (depth.axis != all[i].axis || depth.ranks != all[i].ranks)
            throw Wrong{"there is no bound for pipelines of " + where};
        if (!(depth.lower_bound <= all[i].lower_bound * (1 + rounding)))
            throw Wrong{"pipelines of " + where + " are bounded by " + text(all[i].lower_bound) + " s, but it claims " +
                        text(depth.lower_bound)};
        least = std::min(least, depth.lower_bound);
    }
    compare("the least bound of all depths is", claimed.lower_bound, least, " s");
}

/// Checks that every mesh and storage of the space has its part, and that none is below the bound.
void check_parts(const Certificate &claimed, const plan::Request &request) {
    std::size_t count = 0;
    for (const Shape &shape : shapes(request))
        for (const Storage &storage : storages(request, shape.mesh, shape.axes)) {
            const auto matches = std::count_if(claimed.parts.begin(), claimed.parts.end(), [&](const Part &part) {
                return part.axes == shape.axes && part.sizes == shape.mesh.sizes && part.storage == storage;
            });
            ++count;
            if (matches != 1)
                throw Wrong{
                    words({shape.axes, shape.mesh.sizes, storage, 0, {}}) +
                    (matches == 0 ? ": there is no bound for its plans" : ": there are two bounds for its plans")};
        }
    if (count != claimed.parts.size())
        throw Wrong{"it has bounds for " + std::to_string(claimed.parts.size()) +
                    " meshes and storages, but there are " + std::to_string(count)};
    double least = std::numeric_limits<double>::infinity();
    for (const Part &part : claimed.parts)
        least = std::min(least, part.lower_bound);
    compare("the least bound of all meshes is", claimed.lower_bound, least, " s");
    const sharding::GraphIndex index(request.graph);
    const StepScopes step(index, request.machine, request.larger ? request.larger->count : 0);
    const std::vector<std::size_t> meshes = first_parts(claimed.parts);
    std::vector<std::string> wrong(meshes.size() - 1);
    support::in_parallel(wrong.size(), [&](std::size_t m) {
        try {
            const Mesh mesh{claimed.parts[meshes[m]].sizes};
            Pricing pricing(step, mesh, request.machine);
            for (std::size_t p = meshes[m]; p < meshes[m + 1]; ++p)
                check_part(claimed.parts[p], step, pricing, request, claimed.search_lower_bound, claimed.cost);
        } catch (const Wrong &found) {
            wrong[m] = found.line;
        }
    });
    for (const std::string &line : wrong)
        if (!line.empty())
            throw Wrong{line};
}

} // namespace

std::string check(const Certificate &certificate, const plan::Request &request) {
    try {
        check_asked(certificate.asked, asked(request));
        const plan::Plan plan = plan_of(certificate, request);
        check_plan(certificate, plan, request);
        if (certificate.cheapest)
            check_cheapest(*certificate.cheapest, certificate.cost, request);
        check_cost(certificate, plan, request);
        if (certificate.pipeline)
            check_depths(certificate, request);
        else
            check_parts(certificate, request);
        return {};
    } catch (const Wrong &wrong) {
        return wrong.line;
    }
}

} // namespace planc::certificate
