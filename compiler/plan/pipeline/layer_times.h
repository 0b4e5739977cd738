// What the layers of a pipeline take, in the terms of its schedule.
#pragma once

#include "plan/plan.h"

namespace planc::plan {

struct LayerTimes {
    Seconds forward{}; ///< of one micro-batch, with its collectives
    Seconds input_gradients{};
    Seconds weight_gradients{};
    Seconds update{}; ///< once a step

    [[nodiscard]] Seconds of_step(int microbatches) const {
        return static_cast<double>(microbatches) * (forward + input_gradients + weight_gradients) + update;
    }
    LayerTimes &operator+=(const LayerTimes &other);
};

/// The same as a row of the pipeline's costs.
[[nodiscard]] cost::StageRow stage_row(const LayerTimes &times);

/// All rows of a table of costs, each booked to its layer. Reshards between layers are booked to the one that needs
/// them, a bucket to its first layer.
[[nodiscard]] PerLayer<LayerTimes> layer_times(const CostTable &table);

/// The parts of a stage's update, `update` in all, by the level of its operations (sharding::StagedGraph::levels).
[[nodiscard]] std::vector<Seconds> update_levels(const Graph &graph, const cost::GraphFacts &facts,
                                                 const sharding::LaidOut &laid_out, const Mesh &mesh,
                                                 const Machine &machine, cost::StepPrices &prices, Seconds update);

} // namespace planc::plan
