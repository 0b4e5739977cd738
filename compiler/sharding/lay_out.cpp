#include "sharding/lay_out.h"

#include "sharding/copies.h"
#include "sharding/placement.h"

#include <set>

namespace planc::sharding {

bool once_a_step(const Graph &graph, ValueId value, const Copy &copy) {
    if (copy.first_use)
        return graph.operations[copy.first_use].per_step;
    const OperationId producer = graph.values[value].producer;
    return producer && (graph.operations[producer].per_step || graph.operations[producer].accumulates);
}

int times(const Graph &graph, ValueId value, const Copy &copy) {
    return once_a_step(graph, value, copy) ? graph.weights.updates : graph.microbatches;
}

LaidOut lay_out(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage) {
    return lay_out(GraphIndex(graph), mesh, layers, storage);
}

LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage) {
    MeshReshards reshards(mesh);
    return lay_out(index, mesh, layers, storage, reshards);
}

LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage,
                MeshReshards &reshards) {
    const Graph &graph = index.graph;
    Copies copies(index, mesh, layers, storage, reshards);
    copies.reserve_all();
    LaidOut result;
    result.operations.reserve(graph.operations.size());
    for (const Operation &operation : graph.operations) {
        LaidOutOperation &laid_out = result.operations.emplace_back();
        laid_out.operand_copy.resize(operation.operands.size());
        laid_out.result_copy.resize(operation.results.size(), -1);
    }
    PerValue<int> at_end(graph.values.size());
    PerValue<int> leaves(graph.values.size());
    result.copies.reserve(graph.values.size());
    for (const ValueId v : graph.values.ids())
        result.copies.push_back(copies.of(v, [&](const Need &need, int copy) {
            const OperationId producer = graph.values[v].producer;
            if (need.operand >= 0)
                result.operations[need.operation].operand_copy[need.operand] = copy;
            else if (need.sent)
                leaves[v] = copy;
            else if (!need.home)
                at_end[v] = copy;
            else if (producer)
                result.operations[producer].result_copy[result_number(graph, v)] = copy;
        }));
    for (const ValueId value : graph.outputs)
        result.output_copy.push_back(at_end[value]);
    for (const ValueId value : graph.sent)
        result.sent_copy.push_back(leaves[value]);
    for (const OperationId o : graph.operations.ids()) {
        auto [strategy, derived] = copies.take(o);
        result.operations[o].strategy = std::move(strategy);
        result.operations[o].operands = std::move(derived.operands);
        result.operations[o].results = std::move(derived.results);
    }
    return result;
}

namespace {

/// Collects the layers whose strategies an answer of Copies reads. It mirrors the functions of Copies one by one.
class Scope {
  public:
    explicit Scope(const GraphIndex &index) : index_(index), graph_(index.graph) {}

    void strategy(OperationId operation) {
        if (const ValueId parameter = graph_.operations[operation].parameter)
            home(parameter);
        else
            layers_.insert(graph_.operations[operation].layer);
    }
    void derived(OperationId operation) {
        if (!seen_.insert(operation).second)
            return;
        strategy(operation);
        if (index_.may_pass_partial[operation])
            for (const ValueId operand : graph_.operations[operation].operands)
                origin(operand);
    }
    void home(ValueId variable) {
        if (graph_.values[variable].home)
            return;
        if (const Use &reader = index_.reader[variable]; reader.operation)
            derived(reader.operation);
        else if (const ValueId root = index_.value_anchor[variable].root)
            home(root);
    }
    void origin(ValueId value) {
        if (graph_.values[value].kind == ValueKind::variable)
            home(value);
        else if (graph_.values[value].kind == ValueKind::computed)
            derived(graph_.values[value].producer);
    }
    void copies(ValueId value) {
        origin(value);
        for (const Use &use : index_.uses[value])
            derived(use.operation);
        if (const ValueId variable = index_.stored_in[value])
            home(variable);
    }
    [[nodiscard]] std::vector<LayerId> layers() const { return {layers_.begin(), layers_.end()}; }

  private:
    const GraphIndex &index_;
    const Graph &graph_;
    std::set<LayerId> layers_;
    std::set<OperationId> seen_;
};

} // namespace

std::vector<LayerId> scope(const GraphIndex &index, ValueId value) {
    Scope scope(index);
    scope.copies(value);
    return scope.layers();
}

std::vector<LayerId> scope(const Graph &graph, ValueId value) {
    return scope(GraphIndex(graph), value);
}

std::vector<Copy> copies_of(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers, ValueId value,
                            const Storage &storage) {
    MeshReshards reshards(mesh);
    return Copies(index, mesh, layers, storage, reshards).of(value);
}

std::vector<Copy> copies_of(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers, ValueId value,
                            const Storage &storage) {
    return copies_of(GraphIndex(graph), mesh, layers, value, storage);
}

Strategy strategy_of(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers, OperationId operation,
                     const Storage &storage) {
    MeshReshards reshards(mesh);
    return Copies(index, mesh, layers, storage, reshards).strategy(operation);
}

std::vector<LayerId> layers_of_strategy(const GraphIndex &index, OperationId operation) {
    Scope scope(index);
    scope.strategy(operation);
    return scope.layers();
}

std::vector<LayerId> layers_of_placements(const GraphIndex &index, OperationId operation) {
    Scope scope(index);
    scope.derived(operation);
    return scope.layers();
}

std::vector<LayerId> layers_of_origin(const GraphIndex &index, ValueId value) {
    Scope scope(index);
    scope.origin(value);
    return scope.layers();
}

} // namespace planc::sharding
