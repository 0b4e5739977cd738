#include "sharding/lay_out.h"

#include "sharding/copies.h"
#include "sharding/placement.h"

#include <set>

namespace planc::sharding {

bool once_a_step(const Graph &graph, int value, const Copy &copy) {
    if (copy.first_use >= 0)
        return graph.operations[copy.first_use].per_step;
    const int producer = graph.values[value].producer;
    return producer >= 0 && (graph.operations[producer].per_step || graph.operations[producer].accumulates);
}

int times(const Graph &graph, int value, const Copy &copy) {
    return once_a_step(graph, value, copy) ? 1 : graph.microbatches;
}

LaidOut lay_out(const Graph &graph, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                const Storage &storage) {
    return lay_out(GraphIndex(graph), mesh, layers, storage);
}

LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                const Storage &storage) {
    const Graph &graph = index.graph;
    Copies copies(index, mesh, layers, storage);
    copies.reserve_all();
    LaidOut result;
    result.operations.reserve(graph.operations.size());
    for (const Operation &operation : graph.operations) {
        LaidOutOperation &laid_out = result.operations.emplace_back();
        laid_out.operand_copy.resize(operation.operands.size());
        laid_out.result_copy.resize(operation.results.size(), -1);
    }
    std::vector<int> at_end(graph.values.size());
    result.copies.reserve(graph.values.size());
    for (int v = 0; v < static_cast<int>(graph.values.size()); ++v)
        result.copies.push_back(copies.of(v, [&](const Need &need, int copy) {
            const int producer = graph.values[v].producer;
            if (need.operand >= 0)
                result.operations[need.operation].operand_copy[need.operand] = copy;
            else if (need.home < 0)
                at_end[v] = copy;
            else if (producer >= 0)
                result.operations[producer].result_copy[result_number(graph, v)] = copy;
        }));
    for (int value : graph.outputs)
        result.output_copy.push_back(at_end[value]);
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        auto [strategy, derived] = copies.take(static_cast<int>(o));
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

    void strategy(int operation) {
        if (const int parameter = graph_.operations[operation].parameter; parameter >= 0)
            home(parameter);
        else
            layers_.insert(graph_.operations[operation].layer);
    }
    void derived(int operation) {
        if (!seen_.insert(operation).second)
            return;
        strategy(operation);
        if (index_.may_pass_partial[operation])
            for (int operand : graph_.operations[operation].operands)
                origin(operand);
    }
    void home(int variable) {
        if (graph_.values[variable].home)
            return;
        if (const Use &reader = index_.reader[variable]; reader.operation >= 0)
            derived(reader.operation);
        else if (const int root = index_.value_anchor[variable].root; root >= 0)
            home(root);
    }
    void origin(int value) {
        if (graph_.values[value].kind == ValueKind::variable)
            home(value);
        else if (graph_.values[value].kind == ValueKind::computed)
            derived(graph_.values[value].producer);
    }
    void copies(int value) {
        origin(value);
        for (const Use &use : index_.uses[value])
            derived(use.operation);
        if (index_.stored_in[value] >= 0)
            home(index_.stored_in[value]);
    }
    [[nodiscard]] std::vector<int> layers() const { return {layers_.begin(), layers_.end()}; }

  private:
    const GraphIndex &index_;
    const Graph &graph_;
    std::set<int> layers_;
    std::set<int> seen_;
};

} // namespace

std::vector<int> scope(const GraphIndex &index, int value) {
    Scope scope(index);
    scope.copies(value);
    return scope.layers();
}

std::vector<int> scope(const Graph &graph, int value) {
    return scope(GraphIndex(graph), value);
}

std::vector<Copy> copies_of(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                            int value, const Storage &storage) {
    return Copies(index, mesh, layers, storage).of(value);
}

std::vector<Copy> copies_of(const Graph &graph, const Mesh &mesh, const std::vector<LayerStrategy> &layers, int value,
                            const Storage &storage) {
    return copies_of(GraphIndex(graph), mesh, layers, value, storage);
}

Strategy strategy_of(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers, int operation,
                     const Storage &storage) {
    return Copies(index, mesh, layers, storage).strategy(operation);
}

std::vector<int> layers_of_strategy(const GraphIndex &index, int operation) {
    Scope scope(index);
    scope.strategy(operation);
    return scope.layers();
}

std::vector<int> layers_of_placements(const GraphIndex &index, int operation) {
    Scope scope(index);
    scope.derived(operation);
    return scope.layers();
}

std::vector<int> layers_of_origin(const GraphIndex &index, int value) {
    Scope scope(index);
    scope.origin(value);
    return scope.layers();
}

} // namespace planc::sharding
