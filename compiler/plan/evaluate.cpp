#include "plan/plan.h"

#include "cost/price.h"
#include "sharding/lay_out.h"

#include <map>
#include <string>
#include <vector>

namespace planc::plan {

using planrt::Placement;

CostTable evaluate(const Request &request, const Mesh &mesh, const std::vector<std::string> &axes,
                   const LayerStrategies &layers, const Storage &storage) {
    KnownPrices known(mesh, request.machine);
    return evaluate(request, sharding::GraphIndex(request.graph), cost::GraphFacts(request.graph, request.machine),
                    mesh, axes, layers, storage, known);
}

CostTable evaluate(const Request &request, const sharding::GraphIndex &index, const cost::GraphFacts &facts,
                   const Mesh &mesh, const std::vector<std::string> &axes, const LayerStrategies &layers,
                   const Storage &storage, KnownPrices &known) {
    const sharding::LaidOut step = sharding::lay_out(index, mesh, layers, storage, known.reshards);
    if (!request.larger)
        return cost::price(request.graph, facts, step, mesh, axes, request.machine, layers, storage, known.prices);

    Graph graph = request.larger->graph;
    std::map<std::string, const Placement *> homes;
    for (const ValueId v : request.graph.values.ids())
        if (request.graph.values[v].kind == sharding::ValueKind::variable)
            homes[request.graph.values[v].name] = &step.copies[v].front().placement;
    for (sharding::Value &value : graph.values)
        if (const auto home = homes.find(value.name);
            value.kind == sharding::ValueKind::variable && home != homes.end())
            value.home = *home->second;
    std::map<std::string, const LayerStrategy *> strategy_of;
    for (const LayerId l : layers.ids())
        strategy_of[request.graph.layers[l].name] = &layers[l];
    LayerStrategies strategies;
    for (const sharding::Layer &layer : graph.layers)
        strategies.push_back(*strategy_of.at(layer.name));
    const sharding::LaidOut laid_out =
        sharding::lay_out(sharding::GraphIndex(graph), mesh, strategies, storage, known.reshards);
    const cost::LargerMicroBatches larger{graph, laid_out, request.larger->count};
    return cost::price(request.graph, facts, step, mesh, axes, request.machine, layers, storage, known.prices, &larger);
}

} // namespace planc::plan
