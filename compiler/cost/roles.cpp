#include "cost/roles.h"

#include <algorithm>

namespace planc::cost {

using sharding::LoopKind;

static bool has(const std::vector<int> &loops, int loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

/// The longest loop of the weight that satisfies `wanted`.
template <class Predicate>
static std::string longest(const sharding::Nest &nest, const std::vector<int> &weight, const Predicate &wanted) {
    int best = -1;
    for (int loop : weight)
        if (wanted(loop) && (best < 0 || nest.loops[loop].extent > nest.loops[best].extent))
            best = loop;
    return best < 0 ? std::string() : nest.loops[best].name;
}

static void read_contraction(const sharding::Graph &graph, const sharding::Operation &operation, LayerRoles &roles) {
    const sharding::Nest &nest = operation.nest;
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
        if (graph.values[operation.operands[i]].kind != sharding::ValueKind::variable)
            continue;
        const auto shared = [&](int loop) { // with another operand: neither side of the weight alone
            for (std::size_t j = 0; j < operation.operands.size(); ++j)
                if (j != i && has(nest.operands[j], loop))
                    return true;
            return false;
        };
        roles.output = longest(nest, nest.operands[i],
                               [&](int loop) { return nest.loops[loop].kind == LoopKind::parallel && !shared(loop); });
        roles.group = longest(nest, nest.operands[i],
                              [&](int loop) { return nest.loops[loop].kind == LoopKind::parallel && shared(loop); });
        roles.input =
            longest(nest, nest.operands[i], [&](int loop) { return nest.loops[loop].kind == LoopKind::reduced; });
        return;
    }
}

static void read_windows(const sharding::Nest &nest, LayerRoles &roles) {
    for (const sharding::NestWindow &window : nest.windows)
        if (const std::string &loop = nest.loops[nest.operands[window.operand][window.dimension]].name;
            std::find(roles.domain.begin(), roles.domain.end(), loop) == roles.domain.end())
            roles.domain.push_back(loop);
}

const char *LayerRoles::word(const std::string &loop) const {
    if (loop == output)
        return "model (output)";
    if (loop == input)
        return "model (input)";
    if (loop == group)
        return "model (group)";
    return std::find(domain.begin(), domain.end(), loop) != domain.end() ? "domain" : "";
}

sharding::PerLayer<LayerRoles> roles(const sharding::Graph &graph) {
    sharding::PerLayer<LayerRoles> result(graph.layers.size());
    for (const sharding::Operation &operation : graph.operations) {
        if (operation.parameter)
            continue;
        LayerRoles &layer = result[operation.layer];
        for (const sharding::Loop &loop : operation.nest.loops)
            if (loop.kind != LoopKind::whole &&
                std::find(layer.loops.begin(), layer.loops.end(), loop.name) == layer.loops.end())
                layer.loops.push_back(loop.name);
        if (operation.phase == sharding::Phase::forward)
            read_windows(operation.nest, layer);
        if (operation.kernel == sharding::Kernel::contraction && operation.phase == sharding::Phase::forward &&
            layer.output.empty() && layer.input.empty())
            read_contraction(graph, operation, layer);
    }
    return result;
}

} // namespace planc::cost
