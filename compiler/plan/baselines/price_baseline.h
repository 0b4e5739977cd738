// The price of a plan of the literature, and whether it can be the answer.
#pragma once

#include "plan/baselines/baselines.h"
#include "plan/plan.h"
#include "plan/space/meshes.h"
#include "plan/space/space.h"

#include <optional>
#include <vector>

namespace planc::plan {

/// Whether a rule of the user leaves ranks without work.
[[nodiscard]] bool has_empty_blocks(const Request &request, const MeshShape &shape, const LayerStrategies &layers);

/// Makes a baseline follow the rules that say which of several axes over one loop is the major one.
void follow_orders(const Space &space, LayerStrategies &layers);

/// The index of each layer's strategy in the space; none if some are not in it.
[[nodiscard]] std::optional<std::vector<int>> places(const Space &space, const LayerStrategies &layers);

/// For strategies that follow_orders() was applied to. `limit`: bytes of memory of a rank; 0: no limit.
[[nodiscard]] Baseline price_baseline(const Request &request, const sharding::GraphIndex &index,
                                      const cost::GraphFacts &facts, const MeshShape &shape, const Space &space,
                                      NamedStrategies named, double limit);

} // namespace planc::plan
