// Where a plan cuts a fused loop: a sum within it that the plan splits is complete only after a collective, so what
// uses it runs in a loop of its own. On one rank, nothing is cut.
#pragma once

#include "ir/plan_dialect.h"
#include "sharding/work.h"

#include <utility>
#include <vector>

namespace planc::timeline {

/// For each reduction whose result its loop uses: what goes through memory in addition if the loop is cut behind it.
[[nodiscard]] std::vector<std::pair<mlir::Operation *, sharding::Part>> loop_cuts(ir::LoopsOp loops);

} // namespace planc::timeline
