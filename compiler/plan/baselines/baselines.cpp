#include "plan/baselines/baselines.h"

#include "cost/roles.h"

#include <algorithm>

namespace planc::plan {

namespace {

using Roles = PerLayer<cost::LayerRoles>;
using Loops = PerLayer<std::string>; ///< that are split; empty: none

bool has(const cost::LayerRoles &layer, const std::string &loop) {
    return !loop.empty() && std::find(layer.loops.begin(), layer.loops.end(), loop) != layer.loops.end();
}

bool weighted(const cost::LayerRoles &layer) {
    return !layer.output.empty() || !layer.input.empty();
}

/// The loops that model parallelism splits.
Loops model_loops(const Roles &roles, bool alternate) {
    Loops loops;
    std::string above; // the loop that splits the result of the last layer with a weight
    bool output = true;
    for (const cost::LayerRoles &layer : roles) {
        if (!weighted(layer)) {
            loops.push_back(has(layer, above) ? above : "");
            continue;
        }
        loops.push_back(output ? layer.output : layer.input);
        above = output ? layer.output : "";
        output = !output || !alternate;
    }
    return loops;
}

/// The spatial loops that domain parallelism splits: the first over which windows move; for later layers the
/// same loop if they have it.
Loops domain_loops(const Roles &roles) {
    Loops loops;
    std::string above;
    for (const cost::LayerRoles &layer : roles) {
        const bool stays = has(layer, above);
        if (!stays && !layer.domain.empty() && has(layer, layer.domain.front()))
            above = layer.domain.front();
        loops.push_back(has(layer, above) ? above : "");
    }
    return loops;
}

/// The batch; but the output side for weights without windows, and for layers that follow these.
Loops one_weird_trick(const Roles &roles, const std::string &batch) {
    Loops loops;
    std::string above = batch;
    for (const cost::LayerRoles &layer : roles) {
        if (!layer.domain.empty())
            above = batch;
        else if (weighted(layer))
            above = layer.output;
        loops.push_back(has(layer, above) ? above : "");
    }
    return loops;
}

} // namespace

std::vector<NamedStrategies> baselines(const Graph &graph, const std::string &batch, const Mesh &mesh) {
    const Roles roles = cost::roles(graph);
    Loops batch_loops;
    for (const cost::LayerRoles &layer : roles)
        batch_loops.push_back(has(layer, batch) ? batch : "");
    const Loops outputs = model_loops(roles, false);
    const Loops alternating = model_loops(roles, true);

    std::vector<int> axes; // that split anything
    for (int axis = 0; axis < static_cast<int>(mesh.sizes.size()); ++axis)
        if (mesh.sizes[axis] > 1)
            axes.push_back(axis);
    const auto strategies = [&](const Loops &first, const Loops &rest) {
        LayerStrategies layers(roles.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}});
        for (const LayerId l : layers.ids())
            for (int axis : axes)
                layers[l].loop_of_axis[axis] = axis == axes[0] ? first[l] : rest[l];
        return layers;
    };
    std::vector<NamedStrategies> result = {{"pure batch", strategies(batch_loops, batch_loops)},
                                           {"pure model", strategies(outputs, outputs)},
                                           {"Megatron-style", strategies(alternating, alternating)}};
    if (axes.size() > 1)
        result.push_back({"batch x model", strategies(batch_loops, outputs), false});
    const auto windowed = [](const cost::LayerRoles &layer) { return !layer.domain.empty(); };
    if (std::none_of(roles.begin(), roles.end(), windowed))
        return result;
    const Loops domain = domain_loops(roles);
    result.push_back({"pure domain", strategies(domain, domain), true, true});
    if (axes.size() > 1)
        result.push_back({"batch x domain", strategies(batch_loops, domain), false});
    const auto dense = [&](const cost::LayerRoles &layer) { return weighted(layer) && !windowed(layer); };
    if (std::any_of(roles.begin(), roles.end(), dense)) {
        const Loops trick = one_weird_trick(roles, batch);
        result.push_back({"one-weird-trick", strategies(trick, trick)});
    }
    return result;
}

} // namespace planc::plan
