#include "plan/baselines/price_baseline.h"

#include "plan/space/storage.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace planc::plan {

/// Does a rule of the user leave ranks without work?
bool has_empty_blocks(const Request &request, const MeshShape &shape, const LayerStrategies &layers) {
    const PerLayer<std::vector<LayerLoop>> loops = layer_loops(request.graph);
    for (const LayerId l : layers.ids())
        for (const LayerLoop &loop : loops[l]) {
            std::int64_t parts = 1;
            for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
                if (layers[l].loop_of_axis[axis] == loop.name)
                    parts *= shape.mesh.sizes[axis];
            if (parts > loop.extent)
                return true;
        }
    return false;
}

void follow_orders(const Space &space, LayerStrategies &layers) {
    for (const LayerId l : layers.ids()) {
        const Strategies &options = *space.options[l];
        const auto allowed = std::find_if(options.begin(), options.end(), [&](const LayerStrategy &option) {
            return option.loop_of_axis == layers[l].loop_of_axis;
        });
        if (allowed != options.end())
            layers[l].order = allowed->order;
    }
}

std::optional<std::vector<int>> places(const Space &space, const LayerStrategies &layers) {
    std::vector<int> result;
    for (const LayerId l : layers.ids()) {
        const Strategies &options = *space.options[l];
        const auto at = std::find(options.begin(), options.end(), layers[l]);
        if (at == options.end())
            return std::nullopt;
        result.push_back(static_cast<int>(at - options.begin()));
    }
    return result;
}

namespace {

/// Why the baseline cannot be the answer; empty: it can.
std::string exclusion(const Request &request, const MeshShape &shape, const Space &space, const Baseline &baseline,
                      double limit) {
    for (const LayerId l : baseline.layers.ids()) {
        const Strategies &options = *space.options[l];
        const std::vector<std::string> &wanted = baseline.layers[l].loop_of_axis;
        if (std::find(options.begin(), options.end(), baseline.layers[l]) != options.end())
            continue;
        const std::vector<LayerLoop> loops = layer_loops(request.graph)[l];
        for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
            if (const std::string pin = forbidding_pin(request, loops, l, wanted[axis], shape.axes[axis]); !pin.empty())
                return "the rule '" + pin + "' forbids it";
        return has_empty_blocks(request, shape, baseline.layers) ? "leaves ranks without work"
                                                                 : "the layout forbids it";
    }
    return limit > 0 && baseline.memory.value > limit ? "exceeds the memory limit" : "";
}

} // namespace

Baseline price_baseline(const Request &request, const sharding::GraphIndex &index, const cost::GraphFacts &facts,
                        const MeshShape &shape, const Space &space, NamedStrategies named, double limit) {
    Baseline baseline;
    baseline.storage = storage_choices(request, shape).front().storage;
    KnownPrices known(shape.mesh, request.machine);
    const auto cost = std::make_shared<const CostTable>(
        evaluate(request, index, facts, shape.mesh, shape.axes, named.layers, baseline.storage, known));
    baseline.name = named.name;
    baseline.axes = shape.axes;
    baseline.mesh = shape.mesh;
    baseline.layers = std::move(named.layers);
    baseline.seconds = cost->seconds();
    baseline.payload = cost->payload;
    baseline.memory = cost->memory.total();
    baseline.cost = cost;
    baseline.excluded = exclusion(request, shape, space, baseline, limit);
    return baseline;
}

} // namespace planc::plan
