// Random graphs and strategies: products, also with sparse matrices, sums, reductions, updates over a few loops, with
// values used once or often.
#pragma once

#include "sharding/reference.h"

#include <planrt/pattern.h>

namespace planc::sharding::reference {

[[nodiscard]] Mesh random_mesh(Random &random, int most_axes, int most_ranks);
/// A placement of these extents; each axis cuts a dimension, is partial, or holds replicas.
[[nodiscard]] Placement random_placement(const std::vector<std::int64_t> &extents, const Mesh &mesh, bool partial,
                                         Random &random, bool stored = false);
/// Windows of any kind on some of the dimensions that are cut.
[[nodiscard]] Placement with_random_windows(Placement placement, Random &random);
/// May have rows without nonzeros, or none at all.
[[nodiscard]] planrt::Pattern random_matrix(Random &random, int rows, int columns);
/// y[v, f] = sum over u of A[v, u] x[u, f]: loops v, f, u.
[[nodiscard]] Nest sparse_product(std::int64_t rows, std::int64_t columns, std::int64_t features, int matrix);
/// Where a random product with a sparse matrix leaves its result, of these rows and features: of some, ranks have only
/// the rows that they touch.
[[nodiscard]] Placement random_product_result(Random &random, const Mesh &mesh, int rows, int features);
[[nodiscard]] Graph random_graph(Random &random);
[[nodiscard]] LayerStrategies random_strategies(const Graph &graph, const Mesh &mesh, Random &random);
/// Any axes for each kind of variable, in any order.
[[nodiscard]] Storage random_storage(const Mesh &mesh, Random &random);

} // namespace planc::sharding::reference
