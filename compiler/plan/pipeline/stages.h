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

/// Where the stages of a request's pipeline may begin.
class Cuts {
  public:
    /// The request must outlive this.
    explicit Cuts(const Request &request);

    /// Of each place in PipelineRequest::layers: whether all that the forward pass needs there comes from before. With
    /// cuts in the layout, only theirs.
    [[nodiscard]] const std::vector<bool> &may_begin() const { return may_begin_; }
    /// Splits the layers so that the largest sum of `seconds` (by place) is least; among these, the first stages get
    /// few layers. Empty: there are not so many places. Takes stages × layers² operations.
    [[nodiscard]] Begins balanced(const std::vector<double> &seconds, int stages) const;
    [[nodiscard]] sharding::LayerStages stages(const Begins &begins) const;
    /// The inverse.
    [[nodiscard]] Begins begins(const sharding::LayerStages &stages) const;
    /// By place, of a table of costs with all layers.
    [[nodiscard]] std::vector<LayerTimes> times(const CostTable &cost) const;
    /// The same in all, of a step.
    [[nodiscard]] std::vector<double> seconds(const CostTable &cost) const;

  private:
    const Request &request_;
    const PipelineRequest &wanted_;
    std::vector<bool> may_begin_;
};

/// The stages of the request's pipeline on so many ranks of its axis: by its cuts, or else those of about equal work.
/// Returns why there are none: one line for the user; empty if there are.
[[nodiscard]] std::string make_stages(const Request &request, const CostTable &cost, int ranks,
                                      sharding::LayerStages &stages);

} // namespace planc::plan
