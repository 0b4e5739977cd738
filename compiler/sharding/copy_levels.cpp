#include "sharding/copy_levels.h"

#include <algorithm>
#include <limits>

namespace planc::sharding {

PerValue<std::vector<int>> copy_levels(const Graph &graph, const LaidOut &laid_out) {
    constexpr int unused = std::numeric_limits<int>::max();
    PerValue<std::vector<int>> levels(graph.values.size());
    for (const ValueId v : graph.values.ids()) {
        const OperationId producer = graph.values[v].producer;
        levels[v].assign(laid_out.copies[v].size(), producer ? graph.operations[producer].level : unused);
    }
    for (const OperationId o : graph.operations.ids()) {
        const Operation &operation = graph.operations[o];
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId value = operation.operands[i];
            for (int c = laid_out.operations[o].operand_copy[i]; c >= 0 && !graph.values[value].producer;
                 c = laid_out.copies[value][static_cast<std::size_t>(c)].source) {
                int &first = levels[value][static_cast<std::size_t>(c)];
                first = std::min(first, operation.level);
            }
        }
    }
    for (std::vector<int> &of_value : levels)
        std::ranges::replace(of_value, unused, 0);
    return levels;
}

} // namespace planc::sharding
