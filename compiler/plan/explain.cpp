#include "plan/explain.h"

#include "plan/near_optimal.h"

#include "cost/report.h"
#include "cost/text_lines.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace planc::plan {

namespace {

std::string percent(double share) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2g %%", 100 * share);
    return buffer;
}

std::string ratio(double a, double b) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f x", b > 0 ? a / b : 1.0);
    return buffer;
}

/// "batch over rows, hidden over cols".
std::string words(const LayerStrategy &strategy, const std::vector<std::string> &axes) {
    std::string text;
    for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis)
        if (!strategy.loop_of_axis[axis].empty())
            text += (text.empty() ? "" : ", ") + strategy.loop_of_axis[axis] + " over " + axes[axis];
    return text.empty() ? "replicated" : text;
}

std::string certificate(const Plan &plan) {
    const std::string searched =
        plan.meshes == 1 ? "this mesh" : "any of the " + std::to_string(plan.meshes) + " mesh shapes searched";
    std::string text = "lower bound " + cost::human_seconds(plan.lower_bound) + ": ";
    if (plan.gap() <= 1e-9)
        text += "no plan on " + searched + " takes less";
    else
        text += "no plan on " + searched + " takes less; the gap is " + percent(plan.gap());
    if (!plan.note.empty())
        text += " (" + plan.note + ")";
    return text + "\n";
}

/// On what the choice among plans of nearly the same price was made.
std::string simulated(const Plan &plan) {
    if (!plan.simulated)
        return "";
    const SimulatedChoice &choice = *plan.simulated;
    const std::string plans =
        std::to_string(choice.plans) + " plans within " + percent(near_optimal_margin) + " of the least sum";
    if (choice.chosen == choice.of_least_sum)
        return "simulated with overlap: " + cost::human_seconds(choice.chosen) + " a step; of " + plans +
               " none is over " + percent(least_gain) + " faster\n";
    return "simulated with overlap: " + cost::human_seconds(choice.chosen) + " a step, the least of " + plans +
           "; that of the least sum, " + cost::human_seconds(choice.least_sum) + ", takes " +
           cost::human_seconds(choice.of_least_sum) + "\n";
}

std::string memory(const Plan &plan) {
    std::string text = cost::storage_words(plan.storage, plan.axes);
    text += "memory " + cost::human_bytes(plan.cost.memory.total()) + " a rank";
    if (plan.memory_limit_bytes > 0)
        text += " of " + cost::human_bytes(Bytes(plan.memory_limit_bytes));
    if (plan.memory_decided)
        text += "; the fastest plan does not fit, so memory decided";
    return text + "\n";
}

std::string layers(const Plan &plan) {
    cost::Lines lines;
    lines.row({"layer", "split", "choices", "runner-up, the rest as it is", "time", "it adds"});
    for (std::size_t l = 0; l < plan.layers.size(); ++l) {
        const cost::LayerRow &row = plan.cost.layers[l];
        const std::optional<RunnerUp> &other = plan.runner_ups[l];
        lines.row({row.name, cost::split_words(row, plan.axes),
                   l < plan.choices.size() ? std::to_string(plan.choices[l]) : "",
                   other ? words(other->strategy, plan.axes) : "-", cost::human_seconds(row.seconds()),
                   other ? "+" + cost::human_seconds(Seconds(std::max(0.0, other->added.value))) : ""});
    }
    return lines.text(4);
}

std::string baselines(const Plan &plan) {
    if (plan.baselines.empty())
        return {};
    cost::Lines lines;
    lines.row({"beside it", "mesh", "", "time", "", "memory"});
    for (const Baseline &baseline : plan.baselines)
        lines.row({"  " + baseline.name, cost::mesh_words(baseline.axes, baseline.mesh),
                   baseline.excluded.empty() ? "" : "not a candidate: " + baseline.excluded,
                   cost::human_seconds(baseline.seconds), ratio(baseline.seconds.value, plan.cost.seconds().value),
                   cost::human_bytes(baseline.memory)});
    return "\n" + lines.text(3);
}

/// Each rule once, in the order of the layers.
std::string rules(const Request &request) {
    std::string text;
    std::set<std::string> seen;
    for (const std::string &rule : request.storage.texts)
        text += "  " + rule + "\n";
    for (const std::vector<Pin> &pins : request.pins)
        for (const Pin &pin : pins)
            if (seen.insert(pin.text).second)
                text += "  " + pin.text + "\n";
    return text.empty() ? "" : "\nrules of the layout that held\n" + text;
}

} // namespace

std::string explain(const Request &request, const Plan &plan) {
    std::string text = "plan for " + std::to_string(plan.mesh.ranks()) + " ranks (" +
                       cost::mesh_words(plan.axes, plan.mesh) + ") of machine " + request.machine.name + ": " +
                       cost::human_seconds(plan.cost.seconds()) + " a step, " + cost::human_seconds(plan.cost.compute) +
                       " of it compute\n";
    text += request.search ? certificate(plan) : "the layout's rules say everything; nothing was searched\n";
    return text + simulated(plan) + memory(plan) + "\n" + layers(plan) + baselines(plan) + rules(request);
}

} // namespace planc::plan
