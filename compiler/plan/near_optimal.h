// Plans that the sum of seconds can hardly tell from the answer. Which of them is fastest is a matter of what runs
// beside what: the driver lowers and simulates them (timeline/simulate.h), and takes the fastest.
//
// Example: the answer splits a layer's outputs, pure batch costs 4 % more: its gradients are reduced while the backward
// pass goes on, the sums of the model's split are waited for.
#pragma once

#include "plan/plan.h"

#include <vector>

namespace planc::plan {

/// How much more than the answer they may cost, of its seconds.
inline constexpr double near_optimal_margin = 0.10;

/// By how much the simulation must make another one faster before it is taken instead of the least sum, unless a plan
/// of the literature is faster too.
inline constexpr double least_gain = 0.01;

/// At most `most`, all of them allowed by rules and memory, none priced as the answer or another to the last bit (these
/// are the same plan on axes alike): the baselines and what the search came by on other shapes of the mesh, least
/// middle of sum and CostTable::at_least() first, then runner-ups of single layers, cheapest first. Each is the answer
/// with mesh, strategies, storage and cost exchanged, without Plan::baselines and Plan::passed.
[[nodiscard]] std::vector<Plan> near_optimal(const Request &request, const Plan &answer, std::size_t most);

/// What a baseline takes at least, by which it is not looked at: CostTable::at_least(), but where alternatives are
/// shown what its links carry, so that nearly all are shown with their steps.
[[nodiscard]] Seconds least_step(const Request &request, const CostTable &baseline);

/// Further baselines that could be the answer, none of them among `others`, with a least_step() below `step`, however
/// much their sums are: as fast with overlap as a plan that takes `step` are at most these.
[[nodiscard]] std::vector<Plan> further_baselines(const Request &request, const Plan &answer,
                                                  const std::vector<Plan> &others, Seconds step);

struct SimulatedPlan {
    Plan plan;
    std::optional<Seconds> step; ///< with overlap; none: its program does not keep the limit on memory
};

struct FastestPlan {
    Plan plan;
    std::size_t place = 0; ///< among those that were simulated
};

/// Of the answer, which is the first, and others the one to take: the fastest, or the answer where none of the others
/// is faster by least_gain and no baseline at all; none that takes as long as the answer at least. With `simulated` and
/// the steps of the baselines, none of which is faster.
[[nodiscard]] FastestPlan fastest(const std::vector<SimulatedPlan> &plans);

} // namespace planc::plan
