#include "plan/pipeline/stages.h"

#include "plan/numbers.h"
#include "plan/pipeline/changing_weights.h"
#include "plan/pipeline/positions.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "sharding/rewriting.h"
#include "sharding/stage_sums.h"

#include <algorithm>

namespace planc::plan {

namespace {

std::string counted(int count, const char *what, const char *plural = "s") {
    return std::to_string(count) + " " + what + (count == 1 ? "" : plural);
}

/// Updates need values of all stages, and nothing needs theirs: with a stage for each layer, these are many.
Graph without_updates(const Graph &graph) {
    sharding::Rewriting rewriting(graph);
    for (const OperationId o : graph.operations.ids())
        if (graph.operations[o].phase == sharding::Phase::update)
            rewriting.leave_out(o);
    return rewriting.finish();
}

} // namespace

Cuts::Cuts(const Request &request)
    : request_(request), wanted_(*request.pipeline), may_begin_(wanted_.layers.size(), wanted_.cuts.empty()) {
    if (may_begin_.empty())
        return;
    may_begin_.front() = true;
    for (std::size_t place = 0; place < may_begin_.size(); ++place)
        if (std::find(wanted_.cuts.begin(), wanted_.cuts.end(), wanted_.layers[place]) != wanted_.cuts.end())
            may_begin_[place] = true;
    Begins each(wanted_.layers.size());
    for (std::size_t place = 0; place < each.size(); ++place)
        each[place] = place;
    const Graph graph = without_updates(request_.graph);
    for (const sharding::Crossing &back : sharding::crossings_back(graph, sharding::staged(graph, stages(each))))
        std::fill(may_begin_.begin() + back.to + 1, may_begin_.begin() + back.from + 1, false);
}

Begins Cuts::balanced(const std::vector<std::vector<double>> &seconds) const {
    const std::size_t layers = wanted_.layers.size();
    std::vector<double> least(layers + 1, infinity); // of the stages so far, which end before the layer
    least[0] = 0;
    std::vector<Begins> begin;
    for (const std::vector<double> &of_stage : seconds) {
        std::vector<double> before{0};
        for (const double each : of_stage)
            before.push_back(before.back() + each);
        std::vector<double> next(layers + 1, infinity);
        Begins from(layers + 1, 0);
        for (std::size_t end = 1; end <= layers; ++end)
            for (std::size_t first = 0; first < end; ++first)
                if (const double most = std::max(least[first], before[end] - before[first]);
                    may_begin_[first] && most < next[end]) {
                    next[end] = most;
                    from[end] = first;
                }
        least = std::move(next);
        begin.push_back(std::move(from));
    }
    if (least[layers] == infinity)
        return {};
    Begins begins;
    for (std::size_t stage = begin.size(), end = layers; stage-- > 0; end = begins.back())
        begins.push_back(begin[stage][end]);
    std::reverse(begins.begin(), begins.end());
    return begins;
}

sharding::LayerStages Cuts::stages(const Begins &begins) const {
    sharding::LayerStages stages;
    stages.count = static_cast<int>(begins.size());
    stages.of.resize(request_.graph.layers.size(), sharding::LayerStages::everywhere);
    for (std::size_t i = 0; i < wanted_.layers.size(); ++i)
        stages.of[wanted_.layers[i]] =
            static_cast<int>(std::upper_bound(begins.begin(), begins.end(), i) - begins.begin()) - 1;
    return stages;
}

Begins Cuts::begins(const sharding::LayerStages &stages) const {
    Begins begins{0};
    for (std::size_t i = 1; i < wanted_.layers.size(); ++i)
        if (stages.of[wanted_.layers[i]] != stages.of[wanted_.layers[i - 1]])
            begins.push_back(i);
    return begins;
}

std::vector<std::vector<LayerTimes>> Cuts::times(const StageCosts &costs) const {
    std::vector<std::vector<LayerTimes>> times;
    for (int stage = 0; stage < costs.stages(); ++stage) {
        if (stage > 0 && costs.at.size() == 1) {
            times.push_back(times.front());
            continue;
        }
        const PerLayer<LayerTimes> all = layer_times(costs.of(stage));
        std::vector<LayerTimes> &own = times.emplace_back();
        for (const LayerId layer : wanted_.layers)
            own.push_back(all[layer]);
    }
    return times;
}

std::vector<std::vector<double>> Cuts::seconds(const StageCosts &costs) const {
    std::vector<std::vector<double>> seconds;
    for (const std::vector<LayerTimes> &of_stage : times(costs)) {
        std::vector<double> &own = seconds.emplace_back();
        for (const LayerTimes &each : of_stage)
            own.push_back(each.of_step(costs.at.front()->microbatches).value);
    }
    return seconds;
}

static bool has_running_statistics(const Graph &graph) {
    return std::ranges::any_of(graph.operations, [&](const sharding::Operation &operation) {
        return sharding::sums_statistics(graph, operation);
    });
}

std::string make_stages(const Cuts &cuts, StageCosts &costs, int ranks, PipelinePlan &plan) {
    const Request &request = cuts.request();
    const PipelineRequest &wanted = *request.pipeline;
    if (plan.schedule == "chimera" && ranks % 2 != 0)
        return "chimera takes an even number of ranks, not " + std::to_string(ranks);
    int count = ranks * plan.chunks;
    if (pipeline::is_table(plan.schedule)) {
        const pipeline::Schedule table = pipeline::read_text(plan.schedule);
        const int microbatches = request.graph.microbatches;
        if (table.ranks != ranks || table.micro_batches != microbatches)
            return "a schedule of " + counted(table.ranks, "rank") + " and " +
                   counted(table.micro_batches, "micro-batch", "es") + " for " + counted(ranks, "rank") + " and " +
                   counted(microbatches, "micro-batch", "es");
        if (!table.in_order() && has_running_statistics(request.graph))
            return "the running statistics of batch normalisation weigh later micro-batches more: a table has each "
                   "stage's backward passes in the order of the micro-batches, and its replicas take turns";
        count = table.stages;
    }
    const auto layers = static_cast<int>(wanted.layers.size());
    if (count > layers)
        return counted(count, "stage") + " for " + counted(layers, "layer");
    Begins begins{0};
    costs.position_of = costs.at.size() == 1
                            ? std::vector<int>(static_cast<std::size_t>(count), 0)
                            : positions_of_stages(plan.schedule, ranks, plan.chunks, request.graph.microbatches);
    if (wanted.cuts.empty()) {
        begins = cuts.balanced(cuts.seconds(costs));
    } else {
        if (static_cast<int>(wanted.cuts.size()) != count - 1)
            return counted(static_cast<int>(wanted.cuts.size()), "cut") + " for " + counted(count, "stage");
        for (const LayerId cut : wanted.cuts)
            begins.push_back(static_cast<std::size_t>(std::find(wanted.layers.begin(), wanted.layers.end(), cut) -
                                                      wanted.layers.begin()));
        std::sort(begins.begin(), begins.end());
    }
    if (begins.empty())
        return (count == 2 ? std::string("no cut leaves") : "no " + counted(count - 1, "cut") + " leave") +
               " all that a layer needs before it";
    if (const auto same = std::adjacent_find(begins.begin(), begins.end()); same != begins.end())
        return "two stages begin before layer '" + request.graph.layers[wanted.layers[*same]].name + "'";
    plan.stages = cuts.stages(begins);
    const std::string back = sharding::goes_back(request.graph, sharding::staged(request.graph, plan.stages));
    return back.empty() ? fault_of_changes(request, ranks, plan.stages)
                        : "layer " + back + ", which lies on an earlier stage";
}

} // namespace planc::plan
