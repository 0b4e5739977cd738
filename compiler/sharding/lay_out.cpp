#include "sharding/lay_out.h"

#include "sharding/copies.h"
#include "sharding/placement.h"

#include <algorithm>
#include <set>

namespace planc::sharding {

static int copy_in(const std::vector<Copy> &copies, const Placement &placement) {
    const auto found = std::find_if(copies.begin(), copies.end(),
                                    [&placement](const Copy &copy) { return copy.placement == placement; });
    return static_cast<int>(found - copies.begin());
}

LaidOut lay_out(const Graph &graph, const Mesh &mesh, const std::vector<LayerStrategy> &layers) {
    const GraphIndex index(graph);
    Copies copies(index, mesh, layers);
    LaidOut result;
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        LaidOutOperation &operation = result.operations.emplace_back();
        operation.strategy = copies.strategy(static_cast<int>(o));
        operation.operands = copies.derived(static_cast<int>(o)).operands;
        operation.results = copies.derived(static_cast<int>(o)).results;
    }
    for (std::size_t v = 0; v < graph.values.size(); ++v)
        result.copies.push_back(copies.of(static_cast<int>(v)));
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        const Operation &operation = graph.operations[o];
        LaidOutOperation &laid_out = result.operations[o];
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            laid_out.operand_copy.push_back(copy_in(result.copies[operation.operands[i]], laid_out.operands[i]));
        for (int value : operation.results) {
            const int variable = index.stored_in[value];
            laid_out.result_copy.push_back(variable < 0 ? -1 : copy_in(result.copies[value], copies.origin(variable)));
        }
    }
    for (int value : graph.outputs)
        result.output_copy.push_back(copy_in(result.copies[value], replicated(graph.values[value].extents)));
    return result;
}

namespace {

/// Collects the layers whose strategies an answer of Copies reads; mirrors its functions one by one.
class Scope {
  public:
    explicit Scope(const GraphIndex &index) : index_(index), graph_(index.graph) {}

    void strategy(int operation) {
        if (graph_.operations[operation].kernel != Kernel::update)
            layers_.insert(graph_.operations[operation].layer);
        else if (const int root = index_.operation_anchor[operation].root; root >= 0)
            home(root);
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
                            int value) {
    return Copies(index, mesh, layers).of(value);
}

std::vector<Copy> copies_of(const Graph &graph, const Mesh &mesh, const std::vector<LayerStrategy> &layers, int value) {
    return copies_of(GraphIndex(graph), mesh, layers, value);
}

Strategy strategy_of(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                     int operation) {
    return Copies(index, mesh, layers).strategy(operation);
}

std::vector<int> layers_of_strategy(const GraphIndex &index, int operation) {
    Scope scope(index);
    scope.strategy(operation);
    return scope.layers();
}

} // namespace planc::sharding
