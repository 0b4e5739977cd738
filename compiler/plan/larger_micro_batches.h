// The larger micro-batches of a step, laid out like the others.
#pragma once

#include "plan/plan.h"
#include "sharding/lay_out.h"

namespace planc::plan {

struct LaidOutGraph {
    Graph graph;
    sharding::LaidOut laid_out;
};

/// `larger`: the graph of larger micro-batches; `graph`, `step`: that of the others, laid out by `layers` and
/// `storage`. Layers and variables correspond by name: variables stay where they are, layers keep their strategies.
[[nodiscard]] LaidOutGraph lay_out_larger(Graph larger, const Graph &graph, const sharding::LaidOut &step,
                                          const Mesh &mesh, const LayerStrategies &layers, const Storage &storage,
                                          KnownPrices &known);

} // namespace planc::plan
