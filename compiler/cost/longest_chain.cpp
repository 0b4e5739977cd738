#include "cost/longest_chain.h"

#include <algorithm>

namespace planc::cost {

using support::Seconds;

static bool is_counted(const sharding::Operation &operation) {
    return operation.phase != sharding::Phase::update && operation.kernel != sharding::Kernel::window;
}

Seconds longest_chain(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const PartSeconds &seconds) {
    sharding::PerValue<Seconds> produced(graph.values.size());
    const auto there = [&](sharding::ValueId value, int copy) {
        Seconds sum = produced[value];
        for (; copy >= 0; copy = laid_out.copies[value][copy].source)
            sum += seconds.copies[value][copy];
        return sum;
    };
    Seconds longest{};
    for (const sharding::OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        Seconds end{};
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            end = std::max(end, there(operation.operands[i], laid_out.operations[o].operand_copy[i]));
        if (is_counted(operation))
            end += seconds.operations[o];
        for (const sharding::ValueId result : operation.results)
            produced[result] = end;
        longest = std::max(longest, end);
    }
    return longest;
}

} // namespace planc::cost
