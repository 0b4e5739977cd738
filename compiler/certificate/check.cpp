#include "certificate/check_part.h"
#include "certificate/space.h"

#include "cost/reports/report.h"
#include "support/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Checks that rules and mesh allow the plan.
void check_plan(const Certificate &claimed, const plan::Request &request) {
    const std::vector<Shape> allowed = shapes(request);
    const auto shape = std::find_if(allowed.begin(), allowed.end(), [&](const Shape &each) {
        return each.axes == claimed.axes && each.mesh.sizes == claimed.sizes;
    });
    if (shape == allowed.end())
        throw Wrong{"its mesh is not one that " + std::to_string(request.ranks) + " ranks may form"};
    const std::vector<Storage> stored = storages(request, shape->mesh, shape->axes);
    if (std::find(stored.begin(), stored.end(), claimed.storage) == stored.end())
        throw Wrong{"its storage is not among the choices"};
    const auto options = strategies(request, *shape);
    if (claimed.layers.size() != options.size())
        throw Wrong{"it has " + std::to_string(claimed.layers.size()) + " layers, the network " +
                    std::to_string(options.size())};
    for (const LayerId l : options.ids()) {
        if (claimed.layers[l.index()].name != request.graph.layers[l].name)
            throw Wrong{"its layer '" + claimed.layers[l.index()].name + "' is '" + request.graph.layers[l].name +
                        "' of the network"};
        if (std::find(options[l].begin(), options[l].end(), claimed.layers[l.index()].strategy) == options[l].end())
            throw Wrong{"the strategy of layer '" + claimed.layers[l.index()].name + "' breaks the rules"};
    }
}

void compare(const std::string &what, double claimed, double found, const char *unit) {
    if (!equal(claimed, found))
        throw Wrong{what + " " + text(found) + unit + ", but it claims " + text(claimed)};
}

/// Checks the cost of the plan, by cost::price().
void check_cost(const Certificate &claimed, const plan::Request &request) {
    LayerStrategies layers;
    for (const LayerClaim &layer : claimed.layers)
        layers.push_back(layer.strategy);
    const cost::CostTable table = plan::evaluate(request, {claimed.sizes}, claimed.axes, layers, claimed.storage);
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
    if (!(claimed.search_lower_bound <= claimed.cost))
        throw Wrong{"the bound of the search is above the cost"};
    if (!(claimed.lower_bound <= claimed.cost * (1 + rounding)))
        throw Wrong{"the lower bound is above the cost"};
    compare("the gap is", claimed.gap, claimed.cost > 0 ? (claimed.cost - claimed.lower_bound) / claimed.cost : 0, "");
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
                check_part(claimed.parts[p], step, pricing, request, claimed.search_lower_bound);
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
        check_plan(certificate, request);
        check_cost(certificate, request);
        check_parts(certificate, request);
        return {};
    } catch (const Wrong &wrong) {
        return wrong.line;
    }
}

} // namespace planc::certificate
