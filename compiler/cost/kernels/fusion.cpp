#include "cost/kernels/fusion.h"

#include "cost/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace planc::cost {

using sharding::LayerId;
using sharding::OperationId;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::ValueId;

static Bytes bytes_of(const sharding::Value &value) {
    double elements = 1;
    for (std::int64_t extent : value.extents)
        elements *= static_cast<double>(extent);
    return Bytes(elements * value.element_bytes);
}

/// The maximum of windows followed by its argmax: one kernel computes both.
static bool is_same_pass(const sharding::Operation &first, const sharding::Operation &second) {
    const auto are = [&](const char *a, const char *b) { return first.name == a && second.name == b; };
    return first.kernel == sharding::Kernel::window && second.kernel == sharding::Kernel::window &&
           (are("pool max", "pool argmax") || are("pool argmax", "pool max")) && first.operands == second.operands &&
           first.layer == second.layer && first.phase == second.phase && first.nest.windows == second.nest.windows &&
           std::ranges::equal(first.nest.loops, second.nest.loops, {}, &sharding::Loop::extent,
                              &sharding::Loop::extent);
}

/// velocity = momentum * velocity + product.
static bool is_accumulated(const sharding::Graph &graph, const sharding::Operation &operation,
                           const PerValue<int> &readers) {
    if (operation.phase != sharding::Phase::update || operation.operands.size() != 2 || operation.writes.size() != 1)
        return false;
    const auto producer = [&graph](ValueId value) {
        const OperationId made = graph.values[value].producer;
        return made ? &graph.operations[made] : nullptr;
    };
    for (int product : {0, 1}) {
        const sharding::Operation *made = producer(operation.operands[product]);
        const sharding::Operation *scaled = producer(operation.operands[1 - product]);
        if (made != nullptr && made->kernel == sharding::Kernel::contraction && made->nest.windows.empty() &&
            readers[operation.operands[product]] == 1 && scaled != nullptr &&
            scaled->kernel == sharding::Kernel::pointwise && operation.writes[0] &&
            std::ranges::count(scaled->operands, operation.writes[0]) == 1)
            return true;
    }
    return false;
}

PerOperation<Fused> fusion(const sharding::Graph &graph) {
    using Loops = std::tuple<LayerId, int, ValueId>;
    const auto loops = [&graph](OperationId o) { // what they can be fused with: equal numbers
        const sharding::Operation &operation = graph.operations[o];
        const bool fusable =
            operation.kernel == sharding::Kernel::pointwise || operation.kernel == sharding::Kernel::reduction;
        const sharding::Phase phase = operation.phase == sharding::Phase::weight_gradient
                                          ? sharding::Phase::input_gradient
                                          : operation.phase; // both read a result's gradient
        return fusable ? Loops(operation.layer, static_cast<int>(phase), operation.parameter)
                       : Loops(LayerId(), o.number(), ValueId());
    };
    PerValue<bool> stays(graph.values.size(), true); // made and used in one loop
    for (const ValueId value : graph.outputs)
        stays[value] = false;
    PerValue<OperationId> reader(graph.values.size()); // first operation that loads it from memory
    PerValue<int> readers(graph.values.size());
    std::set<Loops> with_rows;
    PerOperation<Fused> result;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        Fused &fused = result.emplace_back();
        for (const ValueId value : operation.operands) {
            ++readers[value];
            const OperationId producer = graph.values[value].producer;
            const bool alike = producer && loops(producer) == loops(o);
            const bool loaded = reader[value] && loops(reader[value]) == loops(o);
            fused.operands.push_back(alike || loaded);
            stays[value] = stays[value] && alike;
            if (!alike && !loaded)
                reader[value] = o;
        }
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            if (operation.writes[i])
                stays[operation.results[i]] = false;
    }
    for (const OperationId o : graph.operations.ids()) {
        for (const ValueId value : graph.operations[o].results)
            result[o].results.push_back(stays[value]);
        result[o].same_pass = o > OperationId(0) && is_same_pass(graph.operations[o - 1], graph.operations[o]);
        result[o].accumulated = is_accumulated(graph, graph.operations[o], readers);
        if (has_rows(graph.operations[o].nest))
            result[o].own_rows = with_rows.insert(loops(o)).second;
    }
    return result;
}

static Bytes rounded(Bytes distance) {
    return distance.value > 0 ? Bytes(std::exp2(std::round(2 * std::log2(distance.value)) / 2)) : distance;
}

void find_reuse(const sharding::Graph &graph, PerOperation<Fused> &fused) {
    ReuseDistances<ValueId> distances;
    for (int round = 0; round < 2; ++round)
        for (const OperationId o : fused.ids()) {
            const sharding::Operation &operation = graph.operations[o];
            Bytes moved{};
            for (std::size_t i = 0; i < operation.operands.size(); ++i)
                if (!fused[o].operands[i] && !fused[o].same_pass)
                    moved += bytes_of(graph.values[operation.operands[i]]);
            for (std::size_t i = 0; i < operation.results.size(); ++i)
                if (!fused[o].results[i])
                    moved += bytes_of(graph.values[operation.results[i]]);
            std::vector<ValueId> made = operation.results;
            for (const ValueId variable : operation.writes) // its new value lies where it did
                if (variable)
                    made.push_back(variable);
            fused[o].reuse = distances.run(moved, operation.operands, made);
            for (Bytes &distance : fused[o].reuse)
                distance = rounded(distance);
        }
}

} // namespace planc::cost
