#include "sharding/rewriting.h"

#include <algorithm>
#include <numeric>

namespace planc::sharding {

bool is_sum(const Operation &operation) {
    return operation.name == "add" && operation.operands.size() == 2;
}

Work alone(const Graph &graph, const Operation &operation) {
    Part part;
    part.kernel = operation.kernel;
    part.nest = operation.nest;
    part.flops_per_point = operation.flops_per_point;
    const auto tensor = [&graph](ValueId value, std::size_t place) {
        return Part::Tensor{.element_bytes = graph.values[value].element_bytes, .of = static_cast<int>(place)};
    };
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        part.operands.push_back(tensor(operation.operands[i], i));
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        part.results.push_back(tensor(operation.results[i], i));
    part.loops.resize(part.nest.loops.size());
    std::iota(part.loops.begin(), part.loops.end(), 0);
    return {{std::move(part)}};
}

Rewriting::Rewriting(const Graph &graph) : graph_(graph), is_left_out_(graph.operations.size()) {
    for (const OperationId o : graph.operations.ids())
        place_.push_back(2 * o.number());
}

Operation Rewriting::like(OperationId model, const std::vector<ValueId> &operands) const {
    Operation operation = graph_.operations[model];
    const std::vector<std::string> &roles = graph_.values[operation.results.front()].roles;
    operation.operands = operands;
    operation.nest.operands.clear();
    for (const ValueId operand : operands) {
        std::vector<int> &loops = operation.nest.operands.emplace_back();
        for (const std::string &role : graph_.values[operand].roles)
            loops.push_back(
                operation.nest.results
                    .front()[static_cast<std::size_t>(std::find(roles.begin(), roles.end(), role) - roles.begin())]);
    }
    return operation;
}

ValueId Rewriting::add(int place, Operation &operation, OperationId as) {
    Value result = graph_.values[operation.results.front()];
    result.producer = graph_.operations.end_id();
    result.layer = operation.layer;
    const ValueId value = graph_.values.push_back(std::move(result));
    operation.results = {value};
    operation.writes = {ValueId()};
    if (!graph_.work.empty())
        graph_.work.push_back(as ? graph_.work[as] : SharedWork(alone(graph_, operation)));
    graph_.operations.push_back(std::move(operation));
    place_.push_back(place);
    is_left_out_.push_back(false);
    return value;
}

void Rewriting::replace(ValueId value, ValueId by) {
    for (Operation &operation : graph_.operations)
        std::replace(operation.operands.begin(), operation.operands.end(), value, by);
    std::replace(graph_.outputs.begin(), graph_.outputs.end(), value, by);
    std::replace(graph_.sent.begin(), graph_.sent.end(), value, by);
}

bool Rewriting::is_used(ValueId value) const {
    return uses()[value] > 0;
}

PerValue<int> Rewriting::uses() const {
    PerValue<int> uses(graph_.values.size(), 0);
    for (const std::vector<ValueId> *values : {&graph_.outputs, &graph_.sent})
        for (const ValueId value : *values)
            ++uses[value];
    for (const OperationId o : graph_.operations.ids()) {
        const Operation &operation = graph_.operations[o];
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            uses[operation.results[i]] += operation.writes[i] ? 1 : 0;
        for (std::size_t i = 0; i < operation.operands.size() && !is_left_out_[o]; ++i)
            ++uses[operation.operands[i]];
    }
    return uses;
}

void Rewriting::leave_out_unused_sums(OperationId root) {
    PerValue<int> left = uses();
    std::vector<OperationId> candidates{root};
    while (!candidates.empty()) {
        const OperationId o = candidates.back();
        candidates.pop_back();
        const Operation &operation = graph_.operations[o];
        if (!is_sum(operation) || left[operation.results.front()] > 0 || is_left_out_[o])
            continue;
        leave_out(o);
        for (const ValueId operand : operation.operands) {
            --left[operand];
            if (const OperationId producer = graph_.values[operand].producer)
                candidates.push_back(producer);
        }
    }
}

std::vector<OperationId> Rewriting::order() const {
    std::vector<OperationId> order;
    for (const OperationId o : graph_.operations.ids())
        if (!is_left_out_[o])
            order.push_back(o);
    std::stable_sort(order.begin(), order.end(),
                     [this](OperationId a, OperationId b) { return place_[a] < place_[b]; });
    return order;
}

Graph Rewriting::finish() {
    PerValue<ValueId> value_at(graph_.values.size());
    PerOperation<OperationId> operation_at(graph_.operations.size());
    Graph result = graph_;
    result.values.clear();
    result.operations.clear();
    result.work.clear();
    const auto keep = [&](ValueId v) { value_at[v] = result.values.push_back(std::move(graph_.values[v])); };
    for (const ValueId v : graph_.values.ids())
        if (graph_.values[v].kind != ValueKind::computed)
            keep(v);
    for (const OperationId o : order()) {
        operation_at[o] = result.operations.end_id();
        for (const ValueId v : graph_.operations[o].results) {
            keep(v);
            result.values[value_at[v]].producer = operation_at[o];
        }
        Operation &operation = graph_.operations[o];
        for (std::vector<ValueId> *values : {&operation.operands, &operation.results, &operation.writes})
            for (ValueId &value : *values)
                value = value ? value_at[value] : value;
        if (operation.parameter)
            operation.parameter = value_at[operation.parameter];
        if (operation.original)
            operation.original = operation_at[operation.original];
        result.operations.push_back(std::move(operation));
        if (!graph_.work.empty())
            result.work.push_back(std::move(graph_.work[o]));
    }
    for (std::vector<ValueId> *values : {&result.outputs, &result.sent})
        for (ValueId &value : *values)
            value = value_at[value];
    return result;
}

} // namespace planc::sharding
