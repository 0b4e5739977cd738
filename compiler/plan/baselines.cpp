#include "plan/baselines.h"

#include "cost/roles.h"

#include <algorithm>

namespace planc::plan {

namespace {

bool has(const cost::LayerRoles &layer, const std::string &loop) {
    return !loop.empty() && std::find(layer.loops.begin(), layer.loops.end(), loop) != layer.loops.end();
}

/// Per layer the loop that model parallelism splits; empty: none.
std::vector<std::string> model_loops(const std::vector<cost::LayerRoles> &roles, bool alternate) {
    std::vector<std::string> loops;
    std::string above; // how the last weighted layer's result is split
    bool output = true;
    for (const cost::LayerRoles &layer : roles) {
        if (layer.output.empty() && layer.input.empty()) {
            loops.push_back(has(layer, above) ? above : "");
            continue;
        }
        loops.push_back(output ? layer.output : layer.input);
        above = output ? layer.output : "";
        output = !output || !alternate;
    }
    return loops;
}

} // namespace

std::vector<NamedStrategies> baselines(const Graph &graph, const std::string &batch, const Mesh &mesh) {
    const std::vector<cost::LayerRoles> roles = cost::roles(graph);
    std::vector<std::string> batch_loops;
    for (const cost::LayerRoles &layer : roles)
        batch_loops.push_back(has(layer, batch) ? batch : "");
    const std::vector<std::string> outputs = model_loops(roles, false);
    const std::vector<std::string> alternating = model_loops(roles, true);

    std::vector<int> axes; // that split anything
    for (int axis = 0; axis < static_cast<int>(mesh.sizes.size()); ++axis)
        if (mesh.sizes[axis] > 1)
            axes.push_back(axis);
    const auto strategies = [&](const std::vector<std::string> &first, const std::vector<std::string> &rest) {
        Strategies layers(roles.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}});
        for (std::size_t l = 0; l < layers.size(); ++l)
            for (int axis : axes)
                layers[l].loop_of_axis[axis] = axis == axes[0] ? first[l] : rest[l];
        return layers;
    };
    std::vector<NamedStrategies> result = {{"pure batch", strategies(batch_loops, batch_loops)},
                                           {"pure model", strategies(outputs, outputs)},
                                           {"Megatron-style", strategies(alternating, alternating)}};
    if (axes.size() > 1)
        result.push_back({"batch x model", strategies(batch_loops, outputs)});
    return result;
}

} // namespace planc::plan
