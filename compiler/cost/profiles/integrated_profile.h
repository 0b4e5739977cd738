// The terms of integrated model, batch and domain parallelism for one product of inputs and weights.
#pragma once

#include "cost/profiles/profile.h"

namespace planc::cost {

/// How the axes split a product.
struct ProductSplit {
    std::int64_t outputs = 1;      ///< Pr: ranks that share the outputs
    std::int64_t rows = 1;         ///< Pr: ranks that share positions of a window
    std::int64_t samples = 1;      ///< Pc
    std::uint64_t output_axes = 0; ///< bits
    std::uint64_t other_axes = 0;  ///< of rows and samples
    const ProductWindow *window = nullptr;
    std::string unsupported;
};
[[nodiscard]] ProductSplit split(const Product &product, const sharding::Graph &graph,
                                 const sharding::LayerStrategy &strategy, const sharding::Mesh &mesh);

/// `gathered`: the previous layer leaves its outputs split over axes that split this layer's outputs.
[[nodiscard]] std::vector<ProfileTerm> integrated_terms(Profile profile, const Product &product,
                                                        const ProductSplit &split, bool gathered, const Link &network);

} // namespace planc::cost
