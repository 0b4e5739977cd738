// The words of CAGNET (Tripathy, Yelick, Buluc, SC 2020) for one layer of a graph convolutional network.
#pragma once

#include "cost/profiles/profile.h"
#include "cost/profiles/sparse_layers.h"

namespace planc::cost {

/// How the axes split a sparse product y[v, f] = sum over u of a[v, u] x[u, f].
struct SparseSplit {
    std::int64_t rows = 1;     ///< ranks over v
    std::int64_t columns = 1;  ///< over u
    std::int64_t features = 1; ///< over f
    std::uint64_t axes = 0;    ///< bits: that split any of them
    std::string unsupported;   ///< no scheme of CAGNET
};
[[nodiscard]] SparseSplit split(const SparseLayer &layer, const sharding::Graph &graph,
                                const sharding::LayerStrategy &strategy, const sharding::Mesh &mesh);

/// What CAGNET's code communicates for the layer, forward and backward.
[[nodiscard]] std::vector<ProfileTerm> cagnet_terms(const SparseLayer &layer, const SparseSplit &split,
                                                    const Link &network);

/// What the table on Buluc's slides says for all layers on so many ranks, by scheme.
[[nodiscard]] std::vector<ProfileTerm> cagnet_slides(const std::vector<SparseLayer> &layers, std::int64_t ranks,
                                                     const Link &network);

} // namespace planc::cost
