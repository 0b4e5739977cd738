#include "sharding/stage_recomputation.h"

#include "sharding/rewriting.h"

#include <algorithm>

namespace planc::sharding {

std::vector<TakenFromForward> taken_from_forward(const Graph &graph, const LayerStages &layers) {
    std::vector<TakenFromForward> taken;
    for (const OperationId o : graph.operations.ids()) {
        const std::vector<ValueId> &operands = graph.operations[o].operands;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const OperationId producer = graph.values[operands[i]].producer;
            const OperationId original = producer ? graph.operations[producer].original : OperationId();
            if (original && layers.of[graph.operations[producer].layer] != layers.of[graph.operations[o].layer])
                taken.push_back({o, i, graph.operations[original].results[result_number(graph, operands[i])]});
        }
    }
    return taken;
}

Graph with_taken(const Graph &graph, const std::vector<TakenFromForward> &taken) {
    Rewriting rewriting(graph);
    for (const TakenFromForward &each : taken)
        rewriting.replace(each.operation, each.operand, each.value);
    PerValue<int> uses(graph.values.size(), 0);
    for (const OperationId o : graph.operations.ids())
        for (const ValueId operand : rewriting.operation(o).operands)
            ++uses[operand];
    for (std::size_t i = graph.operations.size(); i-- > 0;) {
        const OperationId o(i);
        const Operation &operation = rewriting.operation(o);
        if (operation.phase != Phase::recompute ||
            std::ranges::any_of(operation.results, [&](ValueId result) { return uses[result] > 0; }))
            continue;
        rewriting.leave_out(o);
        for (const ValueId operand : operation.operands)
            --uses[operand];
    }
    return rewriting.finish();
}

Graph with_least_recomputation(const Graph &graph) {
    LayerStages each{static_cast<int>(graph.layers.size()), {}};
    for (const LayerId layer : graph.layers.ids())
        each.of.push_back(layer.number());
    return with_taken(graph, taken_from_forward(graph, each));
}

} // namespace planc::sharding
