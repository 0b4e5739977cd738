// Exchanges of the rows of random sparse matrices, for tests.
#pragma once

#include "sharding/random_graph.h"

namespace planc::cost::reference {

/// Of the rows that a product needs, or of the sums of those that it touches (`addends`), between random placements.
[[nodiscard]] sharding::Step random_sparse_step(sharding::reference::Random &random, const sharding::Mesh &mesh,
                                                bool addends);

} // namespace planc::cost::reference
