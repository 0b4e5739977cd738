#include "plan/larger_micro_batches.h"

#include <map>
#include <string>

namespace planc::plan {

LaidOutGraph lay_out_larger(Graph larger, const Graph &graph, const sharding::LaidOut &step, const Mesh &mesh,
                            const LayerStrategies &layers, const Storage &storage, KnownPrices &known) {
    std::map<std::string, const planrt::Placement *> homes;
    for (const ValueId v : graph.values.ids())
        if (graph.values[v].kind == sharding::ValueKind::variable)
            homes[graph.values[v].name] = &step.copies[v].front().placement;
    for (sharding::Value &value : larger.values)
        if (const auto home = homes.find(value.name);
            value.kind == sharding::ValueKind::variable && home != homes.end())
            value.home = *home->second;
    std::map<std::string, const LayerStrategy *> strategy_of;
    for (const LayerId l : layers.ids())
        strategy_of[graph.layers[l].name] = &layers[l];
    LayerStrategies strategies;
    for (const sharding::Layer &layer : larger.layers)
        strategies.push_back(*strategy_of.at(layer.name));
    sharding::LaidOut laid_out =
        sharding::lay_out(sharding::GraphIndex(larger), mesh, strategies, storage, known.reshards);
    return {std::move(larger), std::move(laid_out)};
}

} // namespace planc::plan
