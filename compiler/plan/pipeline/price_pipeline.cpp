#include "plan/pipeline/price_pipeline.h"

#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/weights.h"
#include "plan/pipeline/layer_times.h"
#include "plan/pipeline/stage_layouts.h"
#include "plan/pipeline/step_times.h"
#include "program/slots.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace planc::plan {

namespace {

using planrt::Placement;

class PipelinePrice {
  public:
    PipelinePrice(const Request &request, const Plan &plan, StageLayouts &layouts)
        : request_(request), plan_(plan), pipeline_(*plan.pipeline), layouts_(layouts) {
        schedule_ = pipeline::made_by(pipeline_.schedule, ranks_of_pipeline(plan), pipeline_.chunks,
                                      request.graph.microbatches);
        layouts.lay_out(plan, schedule_);
        schedule_.reach = layouts.step().reach;
        slots_ = program::slots_of(schedule_);
        for (const std::vector<pipeline::Action> &actions : schedule_.actions)
            splits_ |= std::ranges::any_of(
                actions, [](const auto &action) { return action.kind == pipeline::Kind::weight_gradient; });
        if (request.larger)
            note_sizes(request.larger->count);
        stashes_ = pipeline::stages_that_stash(schedule_);
    }

    CostTable make() {
        for (int part = 0; part < schedule_.parts(); ++part)
            add(part);
        for (const sharding::Crossing &crossing : layouts_.step().staged.crossings)
            add_transfers(crossing, false);
        for (const sharding::Crossing &crossing : layouts_.larger_step().staged.crossings)
            add_transfers(crossing, true);
        for (std::size_t stage = 0; stage < cost_.stages.size(); ++stage)
            cost_.stages[stage].sent = Bytes(static_cast<double>(busiest(parts_[stage].sent).elements));
        for (Part &part : parts_) {
            set_position(part.table, part.role);
            merge(part.table);
        }
        table_.microbatches = request_.graph.microbatches;
        for (int role = 0; role < schedule_.ranks; ++role)
            add_up(role);
        measure();
        table_.pipeline = std::move(cost_);
        return std::move(table_);
    }

  private:
    /// A stage of a replica, and what each rank hands to MPI in a step: calls and bytes.
    struct Part {
        StageLayout *layout = nullptr;
        int role = 0;
        int larger_count = 0; ///< of larger micro-batches
        CostTable table = {};
        std::vector<planrt::Traffic> within = {}; ///< in collectives; by rank within the role
        std::vector<planrt::Traffic> sent = {};   ///< to other stages; by rank of the whole mesh
    };

    [[nodiscard]] const RoleRanks &ranks_of(const Part &part) const { return layouts_.ranks(part.role); }

    void add(int number) {
        const int stage = number % schedule_.stages;
        StageLayout &layout = layouts_.parts()[static_cast<std::size_t>(number)];
        Part &part = parts_.emplace_back(Part{&layout, schedule_.rank_of_part(number)});
        part.sent.resize(static_cast<std::size_t>(plan_.mesh.ranks()));
        Graph &graph = layout.stage.graph;
        graph.microbatches =
            static_cast<int>(std::ranges::count(schedule_.replica_of, number / schedule_.stages)); // of the replica
        graph.slots = program::slot_count(slots_[static_cast<std::size_t>(part.role)]);
        graph.weights.stashed = stashes_[static_cast<std::size_t>(stage)];
        const bool two = graph.weights.updates > 1 && schedule_.weights == pipeline::Weights::two_versions;
        graph.weights.versions = request_.graph.weights.versions + (two ? 1 : 0);
        const Mesh &mesh = ranks_of(part).mesh;
        for (int m = 0; request_.larger && m < request_.larger->count; ++m)
            part.larger_count += schedule_.replica_of[static_cast<std::size_t>(m)] == number / schedule_.stages ? 1 : 0;
        const cost::LargerMicroBatches larger{layout.larger.graph, layout.larger_laid_out, part.larger_count};
        cost::GraphFacts facts(graph, request_.machine);
        cut_into_bodies(graph, facts.work, splits_);
        cost::StepPrices &prices = layouts_.known(part.role).prices;
        part.table = cost::price(graph, facts, layout.laid_out, mesh, plan_.axes, request_.machine, plan_.layers,
                                 plan_.storage, prices, part.larger_count > 0 ? &larger : nullptr, &part.within);
        if (number >= schedule_.stages) // as in replica 0
            return;
        LayerTimes sum;
        for (const LayerTimes &each : layer_times(part.table))
            sum += each;
        cost::StageRow row = stage_row(sum);
        for (const LayerId layer : graph.layers.ids())
            if (pipeline_.stages.of[layer] == stage)
                row.layers.push_back(layer);
        row.update_levels = update_levels(graph, facts, layout.laid_out, mesh, request_.machine, prices, row.update);
        row.memory = part.table.memory;
        row.micro_batches = graph.slots;
        cost_.stages.push_back(std::move(row));
    }

    /// Some micro-batches may have a sample more than the last one: the first ones. The time of a micro-batch is about
    /// in proportion to its samples.
    void note_sizes(int larger) {
        const auto samples = static_cast<double>(samples_of(request_.graph));
        const double mean = samples + static_cast<double>(larger) / request_.graph.microbatches;
        for (int m = 0; m < request_.graph.microbatches; ++m)
            cost_.sizes.push_back((samples + (m < larger ? 1 : 0)) / mean);
    }

    /// Of a micro-batch.
    [[nodiscard]] std::int64_t samples_of(const Graph &graph) const {
        for (const sharding::Value &value : graph.values)
            for (std::size_t d = 0; d < value.roles.size(); ++d)
                if (value.kind == sharding::ValueKind::free && value.roles[d] == request_.batch)
                    return value.extents[d];
        return 1;
    }

    static planrt::Traffic busiest(const std::vector<planrt::Traffic> &by_rank) {
        return *std::max_element(by_rank.begin(), by_rank.end(), [](const auto &a, const auto &b) {
            return std::pair(a.elements, a.calls) < std::pair(b.elements, b.calls);
        });
    }

    static void add(planrt::Traffic &sum, const planrt::Traffic &traffic) {
        sum.calls += traffic.calls;
        sum.elements += traffic.elements;
    }

    /// What the stages of a role take together. The table has the role with most.
    void add_up(int role) {
        Seconds work{};
        cost::Memory memory;
        std::vector<planrt::Traffic> handed(static_cast<std::size_t>(plan_.mesh.ranks()));
        for (std::size_t number = 0; number < parts_.size(); ++number) {
            const Part &part = parts_[number];
            if (part.role != role)
                continue;
            const cost::StageRow &row = row_of(number);
            work += static_cast<double>(part.layout->stage.graph.microbatches) * (row.forward + row.backward()) +
                    row.update;
            const RoleRanks &ranks = ranks_of(part);
            for (std::size_t rank = 0; rank < handed.size(); ++rank)
                add(handed[rank], part.sent[rank]);
            for (std::size_t within = 0; within < part.within.size(); ++within)
                add(handed[static_cast<std::size_t>(ranks.role.rank_of(plan_.mesh, static_cast<int>(within)))],
                    part.within[within]);
            memory = together(memory, part.table.memory);
        }
        cost_.work = std::max(cost_.work, work);
        if (memory.total() > table_.memory.total())
            table_.memory = memory;
        const planrt::Traffic most = busiest(handed);
        const Bytes payload(static_cast<double>(most.elements));
        if (payload > table_.payload || (payload == table_.payload && most.calls > table_.calls)) {
            table_.payload = payload;
            table_.calls = most.calls;
        }
    }

    /// The memory of two stages of one rank, which run one after the other.
    static cost::Memory together(const cost::Memory &a, const cost::Memory &b) {
        return {.parameters = a.parameters + b.parameters,
                .optimizer_state = a.optimizer_state + b.optimizer_state,
                .gradients = a.gradients + b.gradients,
                .activations = a.activations + b.activations,
                .inputs = a.inputs + b.inputs,
                .buffers = a.buffers + b.buffers,
                .passing = std::max(a.passing, b.passing),
                .peak = a.passing > b.passing ? a.peak : b.peak};
    }

    cost::StageRow &row_of(std::size_t part) { return cost_.stages[part % cost_.stages.size()]; }

    /// A value that leaves a stage arrives in each placement in which the other one needs it.
    void add_transfers(const sharding::Crossing &crossing, bool of_larger) {
        Part &sender = parts_[static_cast<std::size_t>(crossing.from)];
        const Part &receiver = parts_[static_cast<std::size_t>(crossing.to)];
        const sharding::StageGraph &stage = of_larger ? sender.layout->larger : sender.layout->stage;
        const sharding::LaidOut &laid_out = of_larger ? sender.layout->larger_laid_out : sender.layout->laid_out;
        const Graph &graph = stage.graph;
        const ValueId sent = stage.number[crossing.value];
        const auto place = std::find(graph.sent.begin(), graph.sent.end(), sent) - graph.sent.begin();
        const Placement &leaves = laid_out.copies[sent][laid_out.sent_copy[static_cast<std::size_t>(place)]].placement;
        const sharding::Operation &producer = graph.operations[graph.values[sent].producer];
        const bool once = producer.per_step || producer.accumulates;
        const int bytes = graph.values[sent].element_bytes;
        const std::int64_t times = once        ? of_larger ? 0 : graph.weights.updates
                                   : of_larger ? sender.larger_count
                                               : graph.microbatches - sender.larger_count;
        const StageLayout &to = *receiver.layout;
        const ValueId arrives = (of_larger ? to.larger : to.stage).number[crossing.value];
        for (const sharding::Copy &copy : (of_larger ? to.larger_laid_out : to.laid_out).copies[arrives]) {
            if (copy.source >= 0) // made from another one that arrives
                continue;
            const cost::Price price = send(sender, leaves, receiver, copy.placement, times, bytes);
            const Seconds seconds = price.seconds();
            if (seconds.value <= 0 || of_larger)
                continue;
            const bool of_first_replica = crossing.from < schedule_.stages; // others are as this one
            cost::StageRow &row = row_of(static_cast<std::size_t>(crossing.from));
            if (once) {
                row.sums += of_first_replica ? seconds : Seconds(0);
                cost_.update_transfers.push_back({crossing.from, producer.accumulates ? -1 : producer.level,
                                                  crossing.to, first_level(to.stage.graph, arrives), seconds,
                                                  price.latency});
            } else if (of_first_replica) {
                row.sends += seconds;
                pass_on(crossing, price);
            }
        }
    }

    void pass_on(const sharding::Crossing &crossing, const cost::Price &message) {
        cost::StageRow &from = row_of(static_cast<std::size_t>(crossing.from));
        cost::StageRow &to = row_of(static_cast<std::size_t>(crossing.to));
        const bool back = crossing.to < crossing.from;
        Seconds longer{}; // of stages that are not neighbours it comes long before
        if (crossing.to == crossing.from + 1)
            longer = from.to_next.add(message);
        else if (crossing.to == crossing.from - 1)
            longer = from.to_previous.add(message);
        (back ? to.late_back : to.late) += message.seconds() - longer;
    }

    /// Counts what each rank sends `times` a step. Returns the price of one of these transfers.
    cost::Price send(Part &sender, const Placement &leaves, const Part &receiver, const Placement &arrives,
                     std::int64_t times, int element_bytes) {
        const planrt::Role &role = ranks_of(sender).role;
        const Sent &sent = layouts_.sends().of({leaves, role}, sender.role, {arrives, ranks_of(receiver).role},
                                               receiver.role, element_bytes);
        for (std::size_t rank = 0; rank < sent.by_rank.size(); ++rank) {
            const auto of_all = static_cast<std::size_t>(role.rank_of(plan_.mesh, static_cast<int>(rank)));
            sender.sent[of_all].calls += times * sent.by_rank[rank].calls;
            sender.sent[of_all].elements += times * sent.by_rank[rank].elements * element_bytes;
        }
        return sent.price;
    }

    /// The level of the update that takes a value first.
    static int first_level(const Graph &graph, ValueId value) {
        int level = std::numeric_limits<int>::max();
        for (const sharding::Operation &operation : graph.operations)
            if (std::ranges::find(operation.operands, value) != operation.operands.end())
                level = std::min(level, operation.level);
        return level;
    }

    /// Rows say whose groups they are of.
    static void set_position(CostTable &table, int position) {
        for (cost::LayerRow &layer : table.layers)
            for (cost::CollectiveRow &row : layer.collectives)
                row.position = position;
        for (cost::CollectiveRow &row : table.reshards)
            row.position = position;
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
            table_.mesh = plan_.mesh;
            table_.memory = {};
            table_.payload = {};
            table_.calls = 0;
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
    }

    void measure() {
        const pipeline::Measure measured = pipeline::measure(schedule_, durations(schedule_, cost_));
        cost_.axis = pipeline_.axis;
        cost_.schedule = pipeline::is_table(pipeline_.schedule) ? "table" : pipeline_.schedule;
        cost_.with_barrier = end_of_updates(schedule_, measured.spans, cost_);
        const bool waits =
            std::ranges::any_of(cost_.stages, [](const auto &row) { return row.update_levels.size() > 1; });
        cost_.back_to_back = waits ? cost_.with_barrier : Seconds(measured.period) + longest_update(schedule_, cost_);
        cost_.updates = request_.graph.weights.updates;
    }

    const Request &request_;
    const Plan &plan_;
    const PipelinePlan &pipeline_;
    StageLayouts &layouts_;
    std::vector<Part> parts_;
    pipeline::Schedule schedule_;
    std::vector<std::vector<int>> slots_; ///< by role and micro-batch
    bool splits_ = false;                 ///< some backward passes
    std::vector<bool> stashes_;           ///< by stage
    cost::PipelineCost cost_;
    CostTable table_;
};

} // namespace

CostTable price_pipeline(const Request &request, const Plan &plan, StageLayouts &layouts) {
    return PipelinePrice(request, plan, layouts).make();
}

CostTable price_pipeline(const Request &request, const Plan &plan) {
    StageLayouts layouts(request);
    return price_pipeline(request, plan, layouts);
}

const std::vector<std::string> &searched_schedules(int chunks) {
    static const std::vector<std::string> of_one{"one_f_one_b", "zero_bubble", "gpipe"};
    static const std::vector<std::string> of_two{"interleaved", "zb_v"};
    return chunks == 1 ? of_one : of_two;
}

Seconds seconds_with(const std::string &schedule, int ranks, int chunks, int microbatches,
                     const cost::PipelineCost &cost) {
    const pipeline::Schedule made = pipeline::made_by(schedule, ranks, chunks, microbatches);
    return end_of_updates(made, pipeline::spans_of(made, durations(made, cost)), cost);
}

int ranks_of_pipeline(const Plan &plan) {
    const auto axis = std::find(plan.axes.begin(), plan.axes.end(), plan.pipeline->axis) - plan.axes.begin();
    return plan.mesh.sizes[static_cast<std::size_t>(axis)];
}

} // namespace planc::plan
