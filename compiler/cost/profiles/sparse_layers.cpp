#include "cost/profiles/sparse_layers.h"

#include "cost/profiles/products.h"

#include <algorithm>

namespace planc::cost {

using sharding::Graph;
using sharding::Nest;
using sharding::Operation;
using sharding::OperationId;
using sharding::ValueId;

namespace {

/// Finds the dense product beside a sparse one.
class Beside {
  public:
    explicit Beside(const Graph &graph) : graph_(graph) {
        for (Product &product : products(graph))
            if (product.weights > 0)
                products_.push_back(std::move(product));
    }

    void add_to(SparseLayer &layer) const {
        const Operation &sparse = graph_.operations[layer.operation];
        for (const Product &product : products_) {
            const Operation &dense = graph_.operations[product.operation];
            const bool first = dense.results[0] == sparse.operands[0];
            if (!first && std::ranges::find(dense.operands, sparse.results[0]) == dense.operands.end())
                continue;
            layer.weights = product.weights;
            if (first)
                layer.before = per_vertex(product.inputs, product.outputs, layer.behind);
            else
                layer.behind = per_vertex(product.outputs, product.inputs, layer.before);
            return;
        }
    }

  private:
    /// Elements a vertex of a tensor with as many rows as one that has `known` elements a vertex.
    static double per_vertex(double elements, double known_elements, double known) {
        return elements / known_elements * known;
    }

    const Graph &graph_;
    std::vector<Product> products_;
};

} // namespace

std::vector<SparseLayer> sparse_layers(const Graph &graph) {
    const Beside beside(graph);
    std::vector<SparseLayer> result;
    for (const OperationId o : graph.operations.ids()) {
        const Operation &operation = graph.operations[o];
        const Nest &nest = operation.nest;
        if (operation.kernel != sharding::Kernel::sparse_product || operation.phase != sharding::Phase::forward)
            continue;
        SparseLayer &layer = result.emplace_back();
        layer.operation = o;
        layer.layer = operation.layer;
        layer.attends = !nest.linear;
        layer.vertices = static_cast<double>(nest.loops[nest.sparse->outer].extent);
        layer.nonzeros =
            nest.sparse->density * layer.vertices * static_cast<double>(nest.loops[nest.sparse->inner].extent);
        layer.before = 1;
        for (const int loop : nest.results[0])
            if (loop != nest.sparse->outer)
                layer.before *= static_cast<double>(nest.loops[loop].extent);
        layer.behind = layer.before;
        layer.element_bytes = graph.values[operation.results[0]].element_bytes;
        beside.add_to(layer);
    }
    return result;
}

} // namespace planc::cost
