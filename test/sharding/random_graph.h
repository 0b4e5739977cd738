// Random graphs and strategies: products, sums, reductions, updates over a few loops, with values used once or often.
#pragma once

#include "sharding/reference.h"

namespace planc::sharding::reference {

[[nodiscard]] Mesh random_mesh(Random &random, int most_axes, int most_ranks);
/// A placement of these extents; each axis cuts a dimension, is partial, or holds replicas.
[[nodiscard]] Placement random_placement(const std::vector<std::int64_t> &extents, const Mesh &mesh, bool partial,
                                         Random &random, bool stored = false);
/// Windows of any kind on some of the dimensions that are cut.
[[nodiscard]] Placement with_random_windows(Placement placement, Random &random);
[[nodiscard]] Graph random_graph(Random &random);
[[nodiscard]] LayerStrategies random_strategies(const Graph &graph, const Mesh &mesh, Random &random);
/// Any axes for each kind of variable, in any order.
[[nodiscard]] Storage random_storage(const Mesh &mesh, Random &random);

} // namespace planc::sharding::reference
