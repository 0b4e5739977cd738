// Puts the layers of a plan on the stages of a pipeline.
#pragma once

#include "plan/pipeline/layer_times.h"
#include "plan/plan.h"

#include <cstddef>
#include <string>
#include <vector>

namespace planc::plan {

/// The places in PipelineRequest::layers at which stages begin, ascending; the first is 0.
using Begins = std::vector<std::size_t>;

/// Tables of costs with all layers.
struct StageCosts {
    std::vector<SharedCost> at;   ///< on the ranks at each position along the pipeline's axis; one: it holds for all
    std::vector<int> position_of; ///< each stage

    [[nodiscard]] const CostTable &of(int stage) const {
        return *at[at.size() == 1 ? 0 : static_cast<std::size_t>(position_of[static_cast<std::size_t>(stage)])];
    }
    [[nodiscard]] int stages() const { return static_cast<int>(position_of.size()); }
};

/// Where the stages of a request's pipeline may begin.
class Cuts {
  public:
    /// The request must outlive this.
    explicit Cuts(const Request &request);

    [[nodiscard]] const Request &request() const { return request_; }
    /// Of each place in PipelineRequest::layers: whether all that the forward pass needs there comes from before. With
    /// cuts in the layout, only theirs.
    [[nodiscard]] const std::vector<bool> &may_begin() const { return may_begin_; }
    /// Splits the layers so that the largest sum of `seconds` (by stage and place) is least; among these, the first
    /// stages get few layers. Empty: there are not so many places. Takes stages × layers² operations.
    [[nodiscard]] Begins balanced(const std::vector<std::vector<double>> &seconds) const;
    [[nodiscard]] sharding::LayerStages stages(const Begins &begins) const;
    /// The inverse.
    [[nodiscard]] Begins begins(const sharding::LayerStages &stages) const;
    /// What layers take on the ranks of each stage, by stage and place.
    [[nodiscard]] std::vector<std::vector<LayerTimes>> times(const StageCosts &costs) const;
    /// The same in all, of a step.
    [[nodiscard]] std::vector<std::vector<double>> seconds(const StageCosts &costs) const;

  private:
    const Request &request_;
    const PipelineRequest &wanted_;
    std::vector<bool> may_begin_;
};

/// Sets the stages of a pipeline on so many ranks of its axis, with its schedule and chunks: by the request's cuts, or
/// else those of about equal work. `costs.at` is given; the stages' positions are found. Returns why there are none:
/// one line for the user; empty if there are.
[[nodiscard]] std::string make_stages(const Cuts &cuts, StageCosts &costs, int ranks, PipelinePlan &pipeline);

} // namespace planc::plan
