#include "plan/near_optimal.h"

#include "plan/numbers.h"
#include "support/parallel.h"

#include <algorithm>
#include <cmath>

namespace planc::plan {

namespace {

/// A plan that is not priced yet.
struct Choice {
    const std::vector<std::string> *axes = nullptr;
    const Mesh *mesh = nullptr;
    const LayerStrategies *layers = nullptr; ///< but `changed`
    const Storage *storage = nullptr;
    Seconds seconds{};                      ///< its price, exact or nearly so
    LayerId layer = {};                     ///< the one that is changed
    const LayerStrategy *changed = nullptr; ///< null: none
    SharedCost cost = nullptr;              ///< null: not known

    [[nodiscard]] LayerStrategies strategies() const {
        LayerStrategies all = *layers;
        if (changed != nullptr)
            all[layer] = *changed;
        return all;
    }
};

bool is_cheaper(const Choice &a, const Choice &b) {
    return a.seconds < b.seconds;
}

std::vector<Choice> other_plans(const Plan &answer) {
    std::vector<Choice> choices;
    for (const Baseline &baseline : answer.baselines)
        if (baseline.excluded.empty())
            choices.push_back({&baseline.axes, &baseline.mesh, &baseline.layers, &baseline.storage, baseline.seconds,
                               LayerId(), nullptr, baseline.cost});
    for (const PassedPlan &passed : answer.passed)
        choices.push_back({&passed.axes, &passed.mesh, &passed.layers, &passed.storage, passed.seconds, LayerId(),
                           nullptr, passed.cost});
    // A step with overlap lies between its lower bound and the price; the middle is a better estimate than either.
    const auto middle = [](const Choice &choice) { return choice.seconds + choice.cost->at_least(); };
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const Choice &a, const Choice &b) { return middle(a) < middle(b); });
    return choices;
}

std::vector<Choice> changed_layers(const Plan &answer, const PerLayer<std::optional<RunnerUp>> &runner_ups) {
    std::vector<Choice> choices;
    for (const LayerId layer : runner_ups.ids())
        if (const std::optional<RunnerUp> &other = runner_ups[layer];
            other && std::abs(other->added.value) > rounding * answer.cost->seconds().value)
            choices.push_back({&answer.axes, &answer.mesh, &answer.layers, &answer.storage,
                               answer.cost->seconds() + other->added, layer, &other->strategy});
    std::stable_sort(choices.begin(), choices.end(), is_cheaper);
    return choices;
}

bool are_alike(const Plan &a, const Plan &b) {
    return a.cost->seconds() == b.cost->seconds() && a.cost->payload == b.cost->payload;
}

bool are_alike(const Baseline &baseline, const Plan &plan) {
    return baseline.seconds == plan.cost->seconds() && baseline.payload == plan.cost->payload;
}

/// A copy of the answer with another choice, priced. Baselines, and other plans that the search found, stay with the
/// answer.
Plan exchange(const Request &request, const Plan &answer, const Choice &choice) {
    Plan plan;
    plan.warning = answer.warning;
    plan.lower_bound = answer.lower_bound;
    plan.meshes = answer.meshes;
    plan.memory_decided = answer.memory_decided;
    plan.memory_limit_bytes = answer.memory_limit_bytes;
    plan.note = answer.note;
    plan.most_groups = answer.most_groups;
    plan.layers = choice.strategies();
    plan.cost = choice.cost;
    if (plan.cost == nullptr)
        plan.cost = std::make_shared<const CostTable>(
            evaluate(request, *choice.mesh, *choice.axes, plan.layers, *choice.storage));
    plan.axes = *choice.axes;
    plan.mesh = *choice.mesh;
    plan.storage = *choice.storage;
    plan.runner_ups.assign(plan.layers.size(), std::nullopt);
    return plan;
}

/// Records what the simulation of `plan` says about the baselines. Returns whether one of them is that plan.
bool note_baselines(std::vector<Baseline> &baselines, const SimulatedPlan &simulated) {
    bool known = false;
    for (Baseline &baseline : baselines) {
        if (!baseline.excluded.empty() || !are_alike(baseline, simulated.plan))
            continue;
        known = true;
        baseline.step = simulated.step;
        if (!simulated.step)
            baseline.excluded = "exceeds the memory limit";
    }
    return known;
}

} // namespace

/// Takes the first of the choices that are near the answer, admissible and not yet known, up to `most` plans in all.
static void take_near(const Request &request, const Plan &answer, std::vector<Choice> choices, std::size_t most,
                      std::vector<Plan> &result) {
    const Seconds limit = (1 + near_optimal_margin) * answer.cost->seconds();
    std::erase_if(choices, [&](const Choice &choice) { return choice.seconds > limit; });
    std::vector<Plan> priced(std::min(most - result.size(), choices.size())); // these are taken but for few
    support::in_parallel(priced.size(), [&](std::size_t i) { priced[i] = exchange(request, answer, choices[i]); });
    for (std::size_t i = 0; i < choices.size() && result.size() < most; ++i) {
        Plan plan = i < priced.size() ? std::move(priced[i]) : exchange(request, answer, choices[i]);
        const bool too_large =
            answer.memory_limit_bytes > 0 && plan.cost->memory.total().value > answer.memory_limit_bytes;
        const bool known = are_alike(plan, answer) || std::any_of(result.begin(), result.end(), [&](const Plan &other) {
                               return are_alike(plan, other);
                           });
        if (!too_large && !known && plan.cost->seconds() <= limit)
            result.push_back(std::move(plan));
    }
}

std::vector<Plan> near_optimal(const Request &request, const Plan &answer, std::size_t most) {
    std::vector<Plan> result;
    if (answer.pipeline) // others would need stages of their own
        return result;
    take_near(request, answer, other_plans(answer), most, result);
    if (result.size() == most)
        return result;
    const PerLayer<std::optional<RunnerUp>> runner_ups =
        request.runner_ups ? answer.runner_ups : find_runner_ups(request, answer);
    take_near(request, answer, changed_layers(answer, runner_ups), most, result);
    return result;
}

Seconds least_step(const Request &request, const CostTable &baseline) {
    return request.runner_ups ? baseline.carried() : baseline.at_least();
}

std::vector<Plan> further_baselines(const Request &request, const Plan &answer, const std::vector<Plan> &others,
                                    Seconds step) {
    std::vector<const Baseline *> further;
    for (const Baseline &baseline : answer.baselines) {
        const auto is_this = [&](const Plan &plan) { return are_alike(baseline, plan); };
        const auto is_it = [&](const Baseline *other) {
            return other->seconds == baseline.seconds && other->payload == baseline.payload;
        };
        if (baseline.excluded.empty() && least_step(request, *baseline.cost) < step && !is_this(answer) &&
            std::none_of(others.begin(), others.end(), is_this) && std::none_of(further.begin(), further.end(), is_it))
            further.push_back(&baseline);
    }
    std::vector<Plan> result(further.size());
    support::in_parallel(result.size(), [&](std::size_t i) {
        const Baseline &baseline = *further[i];
        result[i] = exchange(request, answer,
                             {&baseline.axes, &baseline.mesh, &baseline.layers, &baseline.storage, baseline.seconds,
                              LayerId(), nullptr, baseline.cost});
    });
    return result;
}

FastestPlan fastest(const std::vector<SimulatedPlan> &plans) {
    const SimulatedPlan &answer = plans.front();
    std::vector<Baseline> baselines = answer.plan.baselines;
    SimulatedChoice choice{0, 0, *answer.step, *answer.step, answer.plan.cost->seconds(), {}};
    const Seconds limit = (1 + near_optimal_margin) * choice.least_sum;
    const SimulatedPlan *best = &answer;
    bool is_beaten = false;
    for (const SimulatedPlan &each : plans) {
        const bool of_literature = note_baselines(baselines, each);
        if (!each.step)
            continue;
        ++choice.plans;
        choice.further += each.plan.cost->seconds() > limit;
        if (of_literature && each.plan.cost->at_least() >= *answer.step)
            continue; // without alternatives to show, it is not considered
        is_beaten |= *each.step <= (1 - least_gain) * *answer.step || (of_literature && *each.step < *answer.step);
        if (*each.step < *best->step)
            best = &each;
    }
    if (!is_beaten)
        best = &answer;
    Plan result = best->plan;
    choice.chosen = *best->step;
    if (best != &answer)
        choice.cheapest = {answer.plan.axes,    answer.plan.mesh, answer.plan.layers,
                           answer.plan.storage, choice.least_sum, answer.plan.cost};
    result.baselines = std::move(baselines);
    if (choice.plans > 1)
        result.simulated = choice;
    return {std::move(result), static_cast<std::size_t>(best - plans.data())};
}

} // namespace planc::plan
