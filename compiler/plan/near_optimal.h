// Plans whose price is nearly that of the answer. Overlap decides which of them is the fastest: the driver lowers and
// simulates them (timeline/simulate.h), and takes the fastest.
//
// Example: the answer splits a layer's outputs, and pure batch costs 4 % more. But the gradients of pure batch are
// reduced while the backward pass goes on, and the sums of the model split are waited for.
#pragma once

#include "plan/plan.h"

#include <vector>

namespace planc::plan {

/// How much more than the answer they may cost, as a part of its seconds.
inline constexpr double near_optimal_margin = 0.10;

/// By how much another plan must be faster in the simulation to be preferred to the one with the least price, unless a
/// plan of the literature is faster too.
inline constexpr double least_gain = 0.01;

/// At most `most` plans that rules and memory allow. None has exactly the price of the answer or of another one (these
/// are the same plan on equivalent axes). First come the baselines and the plans that the search found on other shapes
/// of the mesh, ordered by the mean of price and CostTable::at_least(); then runner-ups of single layers, cheapest
/// first. Each is a copy of the answer with another mesh, strategies, storage and cost, without Plan::baselines and
/// Plan::passed.
[[nodiscard]] std::vector<Plan> near_optimal(const Request &request, const Plan &answer, std::size_t most);

/// A lower bound on the step of a baseline; baselines above the incumbent's step are not simulated. It is
/// CostTable::at_least(), but if alternatives are shown, the time on its links only, so that nearly all are simulated.
[[nodiscard]] Seconds least_step(const Request &request, const CostTable &baseline);

/// Further baselines that could be the answer: those that are not among `others` and whose least_step() is below
/// `step`, whatever their prices. Only these can be faster, with overlap, than a plan whose step takes `step`.
[[nodiscard]] std::vector<Plan> further_baselines(const Request &request, const Plan &answer,
                                                  const std::vector<Plan> &others, Seconds step);

struct SimulatedPlan {
    Plan plan;
    std::optional<Seconds> step; ///< with overlap; none: its program exceeds the limit on memory
};

struct FastestPlan {
    Plan plan;
    std::size_t place = 0; ///< index among the simulated plans
};

/// Chooses among the answer, which comes first, and other plans: the fastest; but the answer if no other plan is faster
/// by least_gain and no baseline is faster at all. Sets `simulated` and the steps of the baselines; none of these is
/// faster than the plan chosen.
[[nodiscard]] FastestPlan fastest(const std::vector<SimulatedPlan> &plans);

} // namespace planc::plan
