// The layers of a graph convolutional network as CAGNET counts them, read off the loop nests.
//
// Example: gcn of std/graph.plan, from 128 to 64 features on 20,000 vertices: before 128, behind 64, weights 8,192.
#pragma once

#include "sharding/lay_out.h"

#include <vector>

namespace planc::cost {

/// A product y = a x of the forward pass, with the product by weights that stands directly before or behind it.
struct SparseLayer {
    sharding::OperationId operation;
    sharding::LayerId layer; ///< of the sparse product
    double vertices = 0;     ///< n: rows of y
    double nonzeros = 0;     ///< of a
    double before = 0;       ///< elements of a vertex before both products
    double behind = 0;       ///< behind both
    double weights = 0;      ///< 0: no weights stand beside it
    bool attends = false;    ///< the entries have weights that are computed: no product of CAGNET
    int element_bytes = 4;
};

/// In the graph's order.
[[nodiscard]] std::vector<SparseLayer> sparse_layers(const sharding::Graph &graph);

} // namespace planc::cost
