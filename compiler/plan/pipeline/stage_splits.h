// Splits of their own for the stages of a pipeline.
#pragma once

#include "plan/plan.h"

#include <optional>

namespace planc::plan {

/// The splits of each stage that take it the least time within the memory of a rank, with the micro-batches that the
/// schedule has in flight there. Mesh, stages and schedule are those of the plan. None: some stage does not fit.
[[nodiscard]] std::optional<LayerStrategies> splits_by_stage(const Request &request, const Plan &plan,
                                                             const Storage &storage);

} // namespace planc::plan
