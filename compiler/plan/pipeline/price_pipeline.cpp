#include "plan/pipeline/price_pipeline.h"

#include "cost/collectives/collectives.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "plan/pipeline/layer_times.h"
#include "program/slots.h"

#include <algorithm>
#include <iterator>

namespace planc::plan {

namespace {

using planrt::Placement;

Seconds longest_update(const cost::PipelineCost &cost) {
    Seconds update{};
    for (const cost::StageRow &row : cost.stages)
        update = std::max(update, row.update);
    return update;
}

pipeline::Durations durations(const cost::PipelineCost &cost) {
    pipeline::Durations durations;
    for (const cost::StageRow &row : cost.stages) {
        durations.forward.push_back(row.forward.value);
        durations.input.push_back(row.input_gradients.value);
        durations.weight.push_back(row.weight_gradients.value);
    }
    for (std::size_t border = 0; border + 1 < cost.stages.size(); ++border) // half of what both send each other
        durations.transfer.push_back(0.5 * (cost.stages[border].sends + cost.stages[border + 1].sends).value);
    return durations;
}

class PipelinePrice {
  public:
    PipelinePrice(const Request &request, const Plan &plan, const PipelinePlan &pipeline)
        : request_(request), plan_(plan), pipeline_(pipeline), known_(plan.mesh, request.machine),
          staged_(sharding::staged(request.graph, pipeline.stages)), group_(group_along(pipeline.axis)) {
        const auto axis = std::find(plan.axes.begin(), plan.axes.end(), pipeline.axis) - plan.axes.begin();
        schedule_ = pipeline::made_by(pipeline.schedule, plan.mesh.sizes[static_cast<std::size_t>(axis)],
                                      pipeline.chunks, request.graph.microbatches);
        slots_ = program::slots_of(schedule_);
    }

    CostTable make() {
        for (int stage = 0; stage < pipeline_.stages.count; ++stage)
            add(stage);
        for (const sharding::Crossing &crossing : staged_.crossings)
            add_transfers(crossing);
        for (std::size_t stage = 0; stage < parts_.size(); ++stage) {
            Part &part = parts_[stage];
            const auto busiest = std::max_element(part.sent.begin(), part.sent.end(),
                                                  [](const auto &a, const auto &b) { return a.elements < b.elements; });
            cost_.stages[stage].sent = Bytes(static_cast<double>(busiest->elements));
            part.table.payload += cost_.stages[stage].sent;
            part.table.calls += busiest->calls;
            merge(part.table);
        }
        measure();
        table_.pipeline = std::move(cost_);
        return std::move(table_);
    }

  private:
    [[nodiscard]] cost::Group group_along(const std::string &name) const {
        const std::vector<int> axes{
            static_cast<int>(std::find(plan_.axes.begin(), plan_.axes.end(), name) - plan_.axes.begin())};
        return cost::group(axes, plan_.mesh.sizes, request_.machine);
    }

    void add(int stage) {
        Part &part = parts_.emplace_back();
        part.stage = sharding::stage_graph(request_.graph, staged_, stage);
        part.role = schedule_.placement.front()[static_cast<std::size_t>(stage)];
        part.sent.resize(static_cast<std::size_t>(plan_.mesh.ranks()));
        Graph &graph = part.stage.graph;
        graph.slots = program::slot_count(slots_[static_cast<std::size_t>(part.role)]);
        part.laid_out =
            sharding::lay_out(sharding::GraphIndex(graph), plan_.mesh, plan_.layers, plan_.storage, known_.reshards);
        part.table = cost::price(graph, cost::GraphFacts(graph, request_.machine), part.laid_out, plan_.mesh,
                                 plan_.axes, request_.machine, plan_.layers, plan_.storage, known_.prices);
        LayerTimes sum;
        for (const LayerTimes &each : layer_times(part.table))
            sum += each;
        cost::StageRow row = stage_row(sum);
        for (const LayerId layer : graph.layers.ids())
            if (pipeline_.stages.of[layer] == stage)
                row.layers.push_back(layer);
        row.memory = part.table.memory;
        row.micro_batches = graph.slots;
        cost_.stages.push_back(std::move(row));
    }

    [[nodiscard]] double count() const { return request_.graph.microbatches; }

    [[nodiscard]] planrt::Role ranks_of(int role) const {
        planrt::Role ranks;
        for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis)
            ranks.coordinates.push_back(plan_.axes[axis] == pipeline_.axis ? planrt::Range{role, role + 1}
                                                                           : planrt::Range{0, plan_.mesh.sizes[axis]});
        return ranks;
    }

    /// A value that leaves a stage arrives in each placement in which the other one needs it.
    void add_transfers(const sharding::Crossing &crossing) {
        Part &sender = parts_[static_cast<std::size_t>(crossing.from)];
        const Part &receiver = parts_[static_cast<std::size_t>(crossing.to)];
        const Graph &graph = sender.stage.graph;
        const ValueId sent = sender.stage.number[crossing.value];
        const auto place = std::find(graph.sent.begin(), graph.sent.end(), sent) - graph.sent.begin();
        const Placement &leaves =
            sender.laid_out.copies[sent][sender.laid_out.sent_copy[static_cast<std::size_t>(place)]].placement;
        const sharding::Operation &producer = graph.operations[graph.values[sent].producer];
        const bool once = producer.per_step || producer.accumulates;
        const int bytes = graph.values[sent].element_bytes;
        for (const sharding::Copy &copy : receiver.laid_out.copies[receiver.stage.number[crossing.value]]) {
            if (copy.source >= 0) // made from another one that arrives
                continue;
            std::int64_t most = 0;
            for (int rank = 0; rank < plan_.mesh.ranks(); ++rank) {
                const planrt::Traffic traffic = planrt::traffic(
                    {leaves, ranks_of(sender.role)}, {copy.placement, ranks_of(receiver.role)}, plan_.mesh, rank);
                planrt::Traffic &sum = sender.sent[static_cast<std::size_t>(rank)];
                const std::int64_t times = once ? 1 : request_.graph.microbatches;
                sum.calls += times * traffic.calls;
                sum.elements += times * traffic.elements * bytes;
                most = std::max(most, traffic.elements);
            }
            cost::StageRow &row = cost_.stages[static_cast<std::size_t>(crossing.from)];
            (once ? row.update : row.sends) +=
                cost::point_to_point(group_, /*neighbours=*/true, 1, Bytes(static_cast<double>(most) * bytes))
                    .seconds();
        }
    }

    void merge(const CostTable &table) {
        const bool first = table_.layers.empty();
        const auto buckets = static_cast<int>(table_.buckets.size());
        const auto shifted = [&](cost::CollectiveRow row) {
            row.bucket += row.bucket >= 0 ? buckets : 0;
            return row;
        };
        if (first) {
            table_ = table;
            return;
        }
        for (const LayerId layer : table_.layers.ids()) {
            cost::LayerRow &into = table_.layers[layer];
            if (into.split.empty())
                into.split = table.layers[layer].split;
            for (std::size_t phase = 0; phase < into.compute.size(); ++phase)
                into.compute[phase] += table.layers[layer].compute[phase];
            std::transform(table.layers[layer].collectives.begin(), table.layers[layer].collectives.end(),
                           std::back_inserter(into.collectives), shifted);
        }
        std::transform(table.reshards.begin(), table.reshards.end(), std::back_inserter(table_.reshards), shifted);
        table_.buckets.insert(table_.buckets.end(), table.buckets.begin(), table.buckets.end());
        table_.compute += table.compute;
        table_.communication += table.communication;
        table_.chain += table.chain;
        if (table.memory.total() > table_.memory.total())
            table_.memory = table.memory;
        if (table.payload > table_.payload) {
            table_.payload = table.payload;
            table_.calls = table.calls;
        }
    }

    void measure() {
        for (const cost::StageRow &row : cost_.stages)
            cost_.work = std::max(cost_.work, count() * (row.forward + row.backward()) + row.update);
        const pipeline::Measure measured = pipeline::measure(schedule_, durations(cost_));
        cost_.axis = pipeline_.axis;
        cost_.schedule = pipeline_.schedule;
        cost_.with_barrier = Seconds(measured.makespan) + longest_update(cost_);
        cost_.back_to_back = Seconds(measured.period) + longest_update(cost_);
    }

    /// A stage, and what each rank sends to other stages in a step: calls and bytes.
    struct Part {
        sharding::StageGraph stage;
        int role = 0;
        sharding::LaidOut laid_out;
        CostTable table;
        std::vector<planrt::Traffic> sent;
    };

    const Request &request_;
    const Plan &plan_;
    const PipelinePlan &pipeline_;
    std::vector<Part> parts_;
    KnownPrices known_;
    sharding::StagedGraph staged_;
    cost::Group group_;
    pipeline::Schedule schedule_;
    std::vector<std::vector<int>> slots_; ///< by role and micro-batch
    cost::PipelineCost cost_;
    CostTable table_;
};

} // namespace

CostTable price_pipeline(const Request &request, const Plan &plan, const PipelinePlan &pipeline) {
    return PipelinePrice(request, plan, pipeline).make();
}

const std::vector<std::string> &searched_schedules() {
    static const std::vector<std::string> names{"one_f_one_b", "zero_bubble", "gpipe"};
    return names;
}

Seconds seconds_with(const std::string &schedule, int ranks, int chunks, int microbatches,
                     const cost::PipelineCost &cost) {
    return Seconds(pipeline::makespan(pipeline::made_by(schedule, ranks, chunks, microbatches), durations(cost))) +
           longest_update(cost);
}

} // namespace planc::plan
