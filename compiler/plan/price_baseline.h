// What a plan of the literature takes, and whether it could be the answer.
#pragma once

#include "plan/baselines.h"
#include "plan/meshes.h"
#include "plan/plan.h"
#include "plan/space.h"

#include <optional>
#include <vector>

namespace planc::plan {

/// Does a rule of the user leave ranks without work?
[[nodiscard]] bool has_empty_blocks(const Request &request, const MeshShape &shape, const Strategies &layers);

/// Where the rules say which of several axes that split one loop is the major one, a baseline keeps to that.
void follow_orders(const Space &space, Strategies &layers);

/// The place of each layer's strategy in the space; none: some are not there.
[[nodiscard]] std::optional<std::vector<int>> places(const Space &space, const Strategies &layers);

/// Of strategies that follow_orders(). `limit`: bytes of memory that a rank has; 0: any number.
[[nodiscard]] Baseline price_baseline(const Request &request, const sharding::GraphIndex &index,
                                      const cost::GraphFacts &facts, const MeshShape &shape, const Space &space,
                                      NamedStrategies named, double limit);

} // namespace planc::plan
