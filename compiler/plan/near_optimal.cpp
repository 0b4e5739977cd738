#include "plan/near_optimal.h"

#include <algorithm>

namespace planc::plan {

namespace {

/// What is not priced yet.
struct Choice {
    std::vector<std::string> axes;
    Mesh mesh;
    std::vector<LayerStrategy> layers;
    Storage storage;
    Seconds seconds{}; ///< its price, to the last bit or nearly
};

bool is_cheaper(const Choice &a, const Choice &b) {
    return a.seconds < b.seconds;
}

std::vector<Choice> other_plans(const Plan &answer) {
    std::vector<Choice> choices;
    for (const Baseline &baseline : answer.baselines)
        if (baseline.excluded.empty())
            choices.push_back({baseline.axes, baseline.mesh, baseline.layers, baseline.storage, baseline.seconds});
    for (const PassedPlan &passed : answer.passed)
        choices.push_back({passed.axes, passed.mesh, passed.layers, passed.storage, passed.seconds});
    std::stable_sort(choices.begin(), choices.end(), is_cheaper);
    return choices;
}

std::vector<Choice> changed_layers(const Plan &answer) {
    std::vector<Choice> choices;
    for (std::size_t layer = 0; layer < answer.runner_ups.size(); ++layer) {
        if (!answer.runner_ups[layer])
            continue;
        Choice choice{answer.axes, answer.mesh, answer.layers, answer.storage,
                      answer.cost.seconds() + answer.runner_ups[layer]->added};
        choice.layers[layer] = answer.runner_ups[layer]->strategy;
        choices.push_back(std::move(choice));
    }
    std::stable_sort(choices.begin(), choices.end(), is_cheaper);
    return choices;
}

bool are_alike(const Plan &a, const Plan &b) {
    return a.cost.seconds() == b.cost.seconds() && a.cost.payload == b.cost.payload;
}

} // namespace

std::vector<Plan> near_optimal(const Request &request, const Plan &answer, std::size_t most) {
    std::vector<Choice> choices = other_plans(answer);
    const std::vector<Choice> changed = changed_layers(answer);
    choices.insert(choices.end(), changed.begin(), changed.end());
    const Seconds limit = (1 + near_optimal_margin) * answer.cost.seconds();
    std::vector<Plan> result;
    for (Choice &choice : choices) {
        if (result.size() == most)
            break;
        if (choice.seconds > limit)
            continue;
        Plan plan = answer;
        plan.cost = evaluate(request, choice.mesh, choice.axes, choice.layers, choice.storage);
        const bool too_large =
            answer.memory_limit_bytes > 0 && plan.cost.memory.total().value > answer.memory_limit_bytes;
        const bool known = are_alike(plan, answer) || std::any_of(result.begin(), result.end(), [&](const Plan &other) {
                               return are_alike(plan, other);
                           });
        if (too_large || known || plan.cost.seconds() > limit)
            continue;
        if (choice.axes != answer.axes || choice.mesh.sizes != answer.mesh.sizes)
            plan.choices.clear();
        plan.axes = std::move(choice.axes);
        plan.mesh = std::move(choice.mesh);
        plan.layers = std::move(choice.layers);
        plan.storage = std::move(choice.storage);
        plan.runner_ups.assign(plan.layers.size(), std::nullopt);
        result.push_back(std::move(plan));
    }
    return result;
}

} // namespace planc::plan
