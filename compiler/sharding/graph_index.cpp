#include "sharding/graph_index.h"

#include "sharding/joint_sums.h"

#include <algorithm>

namespace planc::sharding {

bool is_flat(const Nest &nest) {
    const std::vector<int> *order = nullptr;
    const auto fits = [&](const std::vector<int> &loops) {
        if (loops.empty())
            return true;
        if (order == nullptr)
            order = &loops;
        return loops == *order && loops.size() == nest.loops.size();
    };
    return nest.windows.empty() && std::all_of(nest.operands.begin(), nest.operands.end(), fits) &&
           std::all_of(nest.results.begin(), nest.results.end(), fits);
}

/// For each name, the dimension of the parameter with that role and extent; -1 if there is none.
static std::vector<int> dimensions_of(const Value &parameter, const std::vector<std::string> &names,
                                      const std::vector<std::int64_t> &extents) {
    std::vector<int> result;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto at = std::find(parameter.roles.begin(), parameter.roles.end(), names[i]) - parameter.roles.begin();
        const bool found = at < static_cast<std::ptrdiff_t>(parameter.roles.size()) &&
                           parameter.extents[static_cast<std::size_t>(at)] == extents[i];
        result.push_back(found ? static_cast<int>(at) : -1);
    }
    return result;
}

GraphIndex::GraphIndex(const Graph &g) : graph(g), companion(companions(g)) {
    find_uses();
    find_passes();
    find_partial_sums();
    find_anchors();
}

void GraphIndex::find_uses() {
    uses.resize(graph.values.size());
    is_output.resize(graph.values.size());
    is_sent.resize(graph.values.size());
    stored_in.resize(graph.values.size());
    reader.resize(graph.values.size());
    for (const OperationId o : graph.operations.ids()) {
        const Operation &operation = graph.operations[o];
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId value = operation.operands[i];
            const Use use{o, static_cast<int>(i)};
            uses[value].push_back(use);
            if (!operation.parameter && !reader[value].operation)
                reader[value] = use;
        }
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            if (operation.writes[i])
                stored_in[operation.results[i]] = operation.writes[i];
    }
    for (const ValueId value : graph.outputs)
        is_output[value] = true;
    for (const ValueId value : graph.sent)
        is_sent[value] = true;
}

void GraphIndex::find_passes() {
    Pass now = Pass::forward;
    for (const Operation &operation : graph.operations) {
        if (operation.phase == Phase::input_gradient || operation.phase == Phase::weight_gradient ||
            operation.phase == Phase::recompute)
            now = Pass::backward;
        pass.push_back(operation.phase == Phase::update ? Pass::update : now);
    }
}

void GraphIndex::find_partial_sums() {
    may_be_partial.resize(graph.values.size());
    may_pass_partial.resize(graph.operations.size());
    const auto travels = [this](ValueId value) {
        const std::vector<Use> &all = uses[value];
        return graph.values[value].kind == ValueKind::computed && may_be_partial[value] && !is_output[value] &&
               !is_sent[value] && !stored_in[value] && all.front().operation == all.back().operation;
    };
    for (const OperationId o : graph.operations.ids()) {
        const Operation &operation = graph.operations[o];
        const Nest &nest = operation.nest;
        // A gradient is reduced as soon as it is complete, not within its update; norms share calls (bucket.h).
        const bool updates = operation.phase == Phase::update && !operation.accumulates;
        may_pass_partial[o] = nest.linear && nest.windows.empty() && !updates && !operation.operands.empty() &&
                              std::all_of(operation.operands.begin(), operation.operands.end(), travels);
        const bool sums = nest.reduction == Reduction::sum &&
                          std::any_of(nest.loops.begin(), nest.loops.end(),
                                      [](const Loop &loop) { return loop.kind == LoopKind::reduced; });
        for (const ValueId result : operation.results)
            may_be_partial[result] = sums || may_pass_partial[o];
    }
}

/// Optimizer state that only the operations of one parameter use is placed like that parameter.
void GraphIndex::find_anchors() {
    value_anchor.resize(graph.values.size());
    operation_anchor.resize(graph.operations.size());
    const auto anchor_value = [this](ValueId value, ValueId parameter) {
        const Value &v = graph.values[value];
        if (v.kind == ValueKind::variable && value != parameter && !reader[value].operation &&
            !value_anchor[value].root)
            value_anchor[value] = {parameter, dimensions_of(graph.values[parameter], v.roles, v.extents)};
    };
    for (const OperationId o : graph.operations.ids()) {
        const Operation &operation = graph.operations[o];
        if (!operation.parameter)
            continue;
        std::vector<std::string> names;
        std::vector<std::int64_t> extents;
        for (const Loop &loop : operation.nest.loops) {
            names.push_back(loop.name);
            extents.push_back(loop.extent);
        }
        operation_anchor[o] = {operation.parameter, dimensions_of(graph.values[operation.parameter], names, extents)};
        for (const ValueId value : operation.operands)
            anchor_value(value, operation.parameter);
        for (const ValueId value : operation.writes)
            if (value)
                anchor_value(value, operation.parameter);
    }
}

} // namespace planc::sharding
