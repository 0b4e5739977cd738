#include "plan/explanations/explain.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "plan/near_optimal.h"
#include "plan/numbers.h"
#include "plan/pipeline/changing_weights.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/space/space.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace planc::plan {

namespace {

/// Rounded down, so that a plan that is faster by any amount is below 1.
std::string ratio(Seconds a, Seconds b) {
    const double exact = b.value > 0 ? a / b : 1.0;
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f x", std::floor(100 * exact * (1 + rounding)) / 100);
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

/// Of the plan with the least price; the answer may be another one, which is faster with overlap.
std::string gap(const Plan &plan) {
    const bool is_other = plan.simulated && plan.simulated->least_sum < (1 - rounding) * plan.cost->seconds();
    const double gap = is_other ? 1 - plan.lower_bound / plan.simulated->least_sum : plan.gap();
    if (gap > rounding)
        return std::string("; the optimality gap ") + (is_other ? "of the least price " : "") + "is " +
               cost::percent(gap);
    return is_other ? ", and one takes as much" : "";
}

std::string certificate(const Plan &plan) {
    const std::string searched =
        (plan.meshes == 1 ? "this mesh" : "any of the " + std::to_string(plan.meshes) + " mesh shapes searched") +
        limited_to(plan.most_groups);
    std::string text =
        "lower bound " + cost::human_seconds(plan.lower_bound) + ": no plan on " + searched + " takes less" + gap(plan);
    if (!plan.note.empty())
        text += " (" + plan.note + ")";
    return text + "\n";
}

/// What pipelines there are beside a plan without one.
std::string passed_pipelines(const Plan &plan) {
    if (!plan.passed_pipelines)
        return "";
    const PassedPipelines &passed = *plan.passed_pipelines;
    const std::string bound = "; none that was searched takes less than " + cost::human_seconds(passed.bound) + "\n";
    if (!passed.fastest)
        return passed.bound >= passed.answer ? "no pipeline that was searched is faster\n"
                                             : "no pipeline found is faster" + bound;
    return "the fastest pipeline found takes " + cost::human_seconds(*passed.fastest) + " where this plan takes " +
           cost::human_seconds(passed.answer) + (passed.simulated ? ", both with overlap (" : " (") +
           std::to_string(passed.stages) + " stages, " + std::to_string(passed.microbatches) + " micro-batches by " +
           passed.schedule + ")" + bound;
}

std::string covers(const Plan &plan) {
    if (!plan.covers)
        return "";
    const auto &[parts, with, without, simulated] = *plan.covers;
    const std::string which = "minimal covers between " + std::to_string(parts) + " parts";
    if (!with)
        return which + " were searched: no plan with them is faster\n";
    return "with " + which + " a step takes " + cost::human_seconds(*with) + ", without them " +
           cost::human_seconds(without) + (simulated ? ", both with overlap" : "") +
           "; the lower bound is of plans that do as this one\n";
}

/// The layers whose updates need what other stages compute. Operations that belong to no layer alone, as the norm of
/// all gradients, are those of "optimizer" (autodiff/update.h).
std::vector<std::string> updates_that_wait(const Request &request, const PipelinePlan &pipeline) {
    const sharding::StagedGraph staged = sharding::staged(request.graph, pipeline.stages);
    std::vector<std::string> layers;
    for (const OperationId o : request.graph.operations.ids())
        if (const auto &levels = staged.levels[o];
            !levels.empty() && *std::max_element(levels.begin(), levels.end()) > 0) {
            const std::string &name = request.graph.layers[request.graph.operations[o].layer].name;
            if (std::find(layers.begin(), layers.end(), name) == layers.end())
                layers.push_back(name);
        }
    return layers;
}

/// What all stages wait for after the backward passes.
std::string barrier(const Request &request, const PipelinePlan &pipeline) {
    const std::vector<std::string> layers = updates_that_wait(request, pipeline);
    if (layers.empty())
        return "here they wait for the loss alone";
    if (std::find(layers.begin(), layers.end(), "optimizer") != layers.end())
        return "here they do: updates wait for the norm of all gradients";
    constexpr std::size_t most = 3;
    std::string names = layers.front();
    for (std::size_t i = 1; i < std::min(layers.size(), most); ++i)
        names += ", " + layers[i];
    if (layers.size() > most)
        names += " and " + std::to_string(layers.size() - most) + " more";
    return "here they do: updates of " + names + " wait for what other stages compute after their backward passes";
}

/// The same stages by the other schedules, where these compute the same. What chimera exchanges between two replicas of
/// the weights has no place in them.
std::string other_schedules(const Plan &plan) {
    std::string text;
    const PipelinePlan &pipeline = *plan.pipeline;
    const int ranks = ranks_of_pipeline(plan);
    const int chunks = pipeline.stages.count / ranks;
    if (chunks > 2 || chunks * ranks != pipeline.stages.count || changes_weights(pipeline.schedule) ||
        pipeline.schedule == "chimera")
        return text;
    for (const std::string &schedule : searched_schedules(chunks))
        if (schedule != pipeline.schedule)
            text += (text.empty() ? "the same stages by other schedules: " : ", ") + schedule + " " +
                    cost::human_seconds(
                        seconds_with(schedule, ranks, chunks, plan.cost->microbatches, *plan.cost->pipeline));
    return text.empty() ? "" : text + "\n";
}

/// Stages, and what the schedule makes of them.
std::string pipeline(const Request &request, const Plan &plan) {
    const cost::PipelineCost &cost = *plan.cost->pipeline;
    std::string text;
    if (!request.search)
        text = "the layout's rules determine the splits within stages; there is no bound on pipelines\n";
    else
        text = "lower bound " + cost::human_seconds(plan.lower_bound) +
               ": no pipeline that was searched takes less; the optimality gap is " + cost::percent(plan.gap()) + "\n";
    if (plan.without_pipeline)
        text += "the fastest plan without a pipeline takes " + cost::human_seconds(*plan.without_pipeline) + "\n";
    text += std::to_string(cost.stages.size()) + " stages over " + cost.axis + ", " +
            std::to_string(plan.cost->microbatches) +
            (plan.cost->microbatches == 1 ? " micro-batch by " : " micro-batches by ") + cost.schedule +
            (request.pipeline->cuts.empty() ? ", cut into about equal work\n" : "\n");
    for (std::size_t s = 0; s < cost.stages.size(); ++s) {
        const cost::StageRow &stage = cost.stages[s];
        text += "  stage " + std::to_string(s) + ": " + request.graph.layers[stage.layers.front()].name +
                (stage.layers.size() == 1 ? "" : " to " + request.graph.layers[stage.layers.back()].name) + ": " +
                cost::human_seconds(stage.forward) + " forward, " + cost::human_seconds(stage.backward()) +
                " backward of a micro-batch, " + cost::human_bytes(stage.memory.total()) + " with " +
                std::to_string(stage.micro_batches) + " in flight\n";
    }
    const auto bubble = [&](Seconds step) { return cost::bubble_words(step, cost.work); };
    return text + "bubble " + bubble(cost.with_barrier) + " where all ranks wait for each other after a step, " +
           bubble(cost.back_to_back) + " where steps follow each other; " + barrier(request, *plan.pipeline) + "\n" +
           other_schedules(plan);
}

/// How the choice among plans of nearly the same price was made.
std::string simulated(const Plan &plan) {
    if (!plan.simulated)
        return "";
    const SimulatedChoice &choice = *plan.simulated;
    const int within = choice.plans - choice.further;
    std::string plans = std::to_string(within) + (within == 1 ? " plan" : " plans") + " within " +
                        cost::percent(near_optimal_margin) + " of the least price";
    if (choice.further > 0)
        plans += " and " + std::to_string(choice.further) + " more of the literature";
    if (choice.chosen == choice.of_least_sum)
        return "simulated with overlap: " + cost::human_seconds(choice.chosen) + " a step; none of " + plans +
               " is more than " + cost::percent(least_gain) + " faster\n";
    return "simulated with overlap: " + cost::human_seconds(choice.chosen) + " a step, the least of " + plans +
           "; the plan of the least price, " + cost::human_seconds(choice.least_sum) + ", takes " +
           cost::human_seconds(choice.of_least_sum) + "\n";
}

std::string memory(const Plan &plan) {
    std::string text = cost::storage_words(plan.storage, plan.axes);
    const Bytes estimate = plan.cost->memory.total();
    text += "memory " + cost::human_bytes(plan.program.value > 0 ? plan.program : estimate) + " a rank";
    if (plan.memory_limit_bytes > 0)
        text += " of " + cost::human_bytes(Bytes(plan.memory_limit_bytes));
    if (plan.program.value > 0)
        text += ", by the planner's estimate " + cost::human_bytes(estimate);
    if (plan.memory_decided)
        text += "; the fastest plan does not fit, so the memory limit decided";
    return text + "\n";
}

/// "+1.2 ms"; negative only if the plan was chosen in simulation, whatever its price.
std::string added(const RunnerUp &other, const Plan &plan) {
    const double seconds = plan.simulated ? other.added.value : std::max(0.0, other.added.value);
    const bool is_less = seconds < -rounding * plan.cost->seconds().value;
    return (is_less ? "-" : "+") + cost::human_seconds(Seconds(is_less ? -seconds : std::max(0.0, seconds)));
}

std::string layers(const Plan &plan) {
    cost::Lines lines;
    lines.row({"layer", "split", "choices", "runner-up, other layers as planned", "time", "adds"});
    for (const LayerId l : plan.layers.ids()) {
        const cost::LayerRow &row = plan.cost->layers[l];
        const std::optional<RunnerUp> &other = plan.runner_ups[l];
        lines.row({row.name, cost::split_words(row, plan.axes),
                   plan.choices.contains(l) ? std::to_string(plan.choices[l]) : "",
                   other ? words(other->strategy, plan.axes) : "-", cost::human_seconds(row.seconds()),
                   other ? added(*other, plan) : ""});
    }
    return lines.text(4);
}

/// A baseline compared with the answer, with overlap: its step and the ratio; or "> " before a lower bound, if that was
/// already too much for the baseline to be simulated.
std::vector<std::string> with_overlap(const Baseline &baseline, const SimulatedChoice &choice) {
    if (!baseline.excluded.empty())
        return {"", ""};
    const std::string more = baseline.step ? "" : "> ";
    const Seconds step = baseline.step.value_or(baseline.cost->at_least());
    return {more + cost::human_seconds(step), more + ratio(step, choice.chosen)};
}

/// Ratios compare prices with the least price, or, if the simulation decided, steps with overlap with the answer's.
std::string baselines(const Plan &plan) {
    if (plan.baselines.empty())
        return {};
    cost::Lines lines;
    const Seconds least_sum = plan.simulated ? plan.simulated->least_sum : plan.cost->seconds();
    std::vector<std::string> header = {"alternatives", "mesh", "", "time", ""};
    if (plan.simulated)
        header.insert(header.end(), {"with overlap", ""});
    header.emplace_back("memory");
    lines.row(header);
    for (const Baseline &baseline : plan.baselines) {
        std::vector<std::string> cells = {"  " + baseline.name, cost::mesh_words(baseline.axes, baseline.mesh),
                                          baseline.excluded.empty() ? "" : "not a candidate: " + baseline.excluded,
                                          cost::human_seconds(baseline.seconds), ratio(baseline.seconds, least_sum)};
        if (plan.simulated)
            for (std::string &cell : with_overlap(baseline, *plan.simulated))
                cells.push_back(std::move(cell));
        cells.push_back(cost::human_bytes(baseline.memory));
        lines.row(std::move(cells));
    }
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
    return text.empty() ? "" : "\nrules of the layout in force\n" + text;
}

/// Stages work at the same time, so the computation of all of them may take longer than the step.
std::string share_of_step(const cost::CostTable &cost) {
    if (cost.pipeline)
        return "; the busiest rank works for " + cost::human_seconds(cost.pipeline->work) + " of it";
    return ", " + cost::human_seconds(cost.compute) + " of it compute";
}

} // namespace

std::string explain(const Request &request, const Plan &plan) {
    std::string text = "plan for " + std::to_string(plan.mesh.ranks()) + " ranks (" +
                       cost::mesh_words(plan.axes, plan.mesh) + ") of machine " + request.machine.name + ": " +
                       cost::human_seconds(plan.cost->seconds()) + " a step" + share_of_step(*plan.cost) + "\n";
    if (plan.pipeline)
        text += pipeline(request, plan);
    else
        text += request.search ? certificate(plan) + covers(plan) + passed_pipelines(plan)
                               : "the layout's rules determine the plan; nothing was searched\n";
    return text + simulated(plan) + memory(plan) + "\n" + layers(plan) + baselines(plan) + rules(request);
}

} // namespace planc::plan
