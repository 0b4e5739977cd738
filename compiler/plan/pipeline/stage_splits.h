// Splits of their own for the stages of a pipeline.
#pragma once

#include "plan/pipeline/depths.h"
#include "plan/pipeline/stages.h"

#include <optional>
#include <vector>

namespace planc::plan {

/// How the layers are split inside the stages, wherever these begin.
struct Splits {
    Plan plan;                              ///< in stages of about equal work
    StageCosts costs;                       ///< of all stages together
    std::vector<LayerStrategies> layers_at; ///< by position along the pipeline's axis; empty: those of `plan` hold

    /// Splits each layer of a plan in the way of its stage's position.
    void set_layers(Plan &other) const;
};

/// Where positions have unequal numbers of ranks: the splits of the least work at each. Not yet in stages.
/// Plan::failure says if there are none.
[[nodiscard]] Splits splits_by_position(const Request &request, const Depth &depth);

/// add_alternatives() for layers that lie on stages.
void add_alternatives_by_stage(const Request &request, Plan &plan);

struct StageSplits {
    std::optional<LayerStrategies> layers; ///< none: some stage does not fit
    double share = 0;                      ///< Plan::share, of all stages
};

/// The splits of each stage that take it the least time within the memory of a rank, with the micro-batches that the
/// schedule has in flight there. Mesh, stages and schedule are those of the plan. `share`: Request::share, of all.
[[nodiscard]] StageSplits splits_by_stage(const Request &request, const Plan &plan, const Storage &storage,
                                          double share);

} // namespace planc::plan
