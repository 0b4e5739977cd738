#include "plan/pipeline/price_pipeline.h"

#include "cost/collectives/collectives.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/weights.h"
#include "plan/larger_micro_batches.h"
#include "plan/pipeline/layer_times.h"
#include "program/slots.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace planc::plan {

namespace {

using planrt::Placement;

/// Of the updates behind all micro-batches.
Seconds longest_update(const pipeline::Schedule &schedule, const cost::PipelineCost &cost) {
    if (schedule.weights != pipeline::Weights::synchronous)
        return Seconds(0);
    std::vector<Seconds> updates(static_cast<std::size_t>(schedule.ranks));
    for (int part = 0; part < schedule.parts(); ++part)
        updates[static_cast<std::size_t>(schedule.rank_of_part(part))] +=
            cost.stages[static_cast<std::size_t>(part % schedule.stages)].update;
    return *std::max_element(updates.begin(), updates.end());
}

/// Updates within the step are spread evenly over the micro-batches, behind whose backward passes they run.
pipeline::Durations durations(const pipeline::Schedule &schedule, const cost::PipelineCost &cost) {
    const double share =
        schedule.weights == pipeline::Weights::synchronous ? 0 : 1.0 / static_cast<double>(schedule.micro_batches);
    pipeline::Durations durations;
    for (const cost::StageRow &row : cost.stages) {
        durations.forward.push_back(row.forward.value);
        durations.input.push_back(row.input_gradients.value);
        durations.weight.push_back(row.weight_gradients.value + share * row.update.value);
    }
    for (std::size_t border = 0; border + 1 < cost.stages.size(); ++border) // half of what both send each other
        durations.transfer.push_back(0.5 * (cost.stages[border].sends + cost.stages[border + 1].sends).value);
    return durations;
}

class PipelinePrice {
  public:
    PipelinePrice(const Request &request, const Plan &plan)
        : request_(request), plan_(plan), pipeline_(*plan.pipeline),
          axis_(static_cast<int>(std::ranges::find(plan.axes, pipeline_.axis) - plan.axes.begin())),
          staged_(sharding::staged(request.graph, pipeline_.stages)) {
        for (int role = 0; role < ranks_of_pipeline(plan); ++role)
            ranks_.emplace_back(planrt::role_at(plan.mesh, axis_, role), plan.mesh, request.machine);
        schedule_ = pipeline::made_by(pipeline_.schedule, ranks_of_pipeline(plan), pipeline_.chunks,
                                      request.graph.microbatches);
        schedule_.reach = sharding::reach_of_gradients(request.graph, staged_, schedule_.stages);
        slots_ = program::slots_of(schedule_);
        stage_larger();
        stashes_ = pipeline::stages_that_stash(schedule_);
    }

    CostTable make() {
        for (int part = 0; part < schedule_.parts(); ++part)
            add(part);
        for (int first = 0; first < schedule_.parts(); first += schedule_.stages) { // of each replica
            for (const sharding::Crossing &crossing : staged_.crossings)
                add_transfers({crossing.value, first + crossing.from, first + crossing.to}, false);
            for (const sharding::Crossing &crossing : larger_staged_.crossings)
                add_transfers({crossing.value, first + crossing.from, first + crossing.to}, true);
        }
        const PerValue<std::vector<int>> users = sharding::stages_of_variables(request_.graph, pipeline_.stages);
        const PerValue<bool> is_replicated = replicated();
        for (const ValueId value : users.ids())
            if (request_.graph.values[value].kind == sharding::ValueKind::variable &&
                (users[value].size() > 1 || is_replicated[value]))
                add_sums(value, parts_of(users[value]));
        for (const ValueId output : request_.graph.outputs)
            add_loss(output);
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
    /// A stage of a replica, and what each rank sends to other stages in a step: calls and bytes.
    struct Part {
        sharding::StageGraph stage;
        int role = 0;
        sharding::LaidOut laid_out;
        sharding::StageGraph larger; ///< of larger micro-batches, if `larger_count` of them pass
        sharding::LaidOut larger_laid_out;
        int larger_count = 0;
        CostTable table;
        std::vector<planrt::Traffic> sent;
    };

    /// The ranks of a role, and what is known of their prices.
    struct Ranks {
        planrt::Role role;
        Mesh mesh;
        KnownPrices known;
        Ranks(planrt::Role of, const Mesh &whole, const Machine &machine)
            : role(std::move(of)), mesh(role.mesh(whole)), known(mesh, whole, role, machine) {}
    };

    [[nodiscard]] const Ranks &ranks_of(const Part &part) const { return ranks_[static_cast<std::size_t>(part.role)]; }
    /// In an even mesh, all roles have the same prices.
    [[nodiscard]] KnownPrices &known_of(const Part &part) {
        return ranks_[plan_.mesh.is_even() ? 0 : static_cast<std::size_t>(part.role)].known;
    }

    /// Those that send each other messages.
    [[nodiscard]] cost::Group group_of(const Part &sender, const Part &receiver) const {
        return plan_.mesh.is_even()
                   ? cost::group(std::vector{axis_}, plan_.mesh.sizes, request_.machine)
                   : cost::group_between(plan_.mesh, ranks_of(sender).role, ranks_of(receiver).role, request_.machine);
    }

    /// Whether a parameter's gradients are sums over several replicas of the weights.
    [[nodiscard]] PerValue<bool> replicated() const {
        PerValue<bool> result(request_.graph.values.size());
        if (schedule_.parts() > schedule_.stages)
            for (const sharding::Operation &operation : request_.graph.operations)
                if (operation.accumulates && operation.parameter)
                    result[operation.parameter] = true;
        return result;
    }

    /// The stages in each replica of the weights.
    [[nodiscard]] std::vector<int> parts_of(const std::vector<int> &stages) const {
        std::vector<int> parts;
        for (int first = 0; first < schedule_.parts(); first += schedule_.stages)
            for (const int stage : stages)
                parts.push_back(first + stage);
        return parts;
    }

    void add(int number) {
        const int stage = number % schedule_.stages;
        Part &part = parts_.emplace_back();
        part.stage = sharding::stage_graph(request_.graph, staged_, stage);
        part.role = schedule_.rank_of_part(number);
        part.sent.resize(static_cast<std::size_t>(plan_.mesh.ranks()));
        Graph &graph = part.stage.graph;
        graph.microbatches =
            static_cast<int>(std::ranges::count(schedule_.replica_of, number / schedule_.stages)); // of the replica
        graph.slots = program::slot_count(slots_[static_cast<std::size_t>(part.role)]);
        graph.weights.stashed = stashes_[static_cast<std::size_t>(stage)];
        graph.weights.versions =
            graph.weights.updates > 1 && schedule_.weights == pipeline::Weights::two_versions ? 2 : 1;
        const Mesh &mesh = ranks_of(part).mesh;
        part.laid_out =
            sharding::lay_out(sharding::GraphIndex(graph), mesh, plan_.layers, plan_.storage, known_of(part).reshards);
        lay_out_larger_of(part, number);
        const cost::LargerMicroBatches larger{part.larger.graph, part.larger_laid_out, part.larger_count};
        part.table = cost::price(graph, cost::GraphFacts(graph, request_.machine), part.laid_out, mesh, plan_.axes,
                                 request_.machine, plan_.layers, plan_.storage, known_of(part).prices,
                                 part.larger_count > 0 ? &larger : nullptr);
        if (number >= schedule_.stages) // as in replica 0
            return;
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

    /// Some micro-batches may have a sample more than the last one: the first ones.
    void stage_larger() {
        if (!request_.larger || request_.graph.weights.updates > 1)
            return;
        sharding::LayerStages stages{pipeline_.stages.count, {}};
        for (const sharding::Layer &layer : request_.larger->graph.layers) {
            const auto ids = request_.graph.layers.ids();
            const auto same = std::find_if(
                ids.begin(), ids.end(), [&](LayerId each) { return request_.graph.layers[each].name == layer.name; });
            stages.of.push_back(same == ids.end() ? sharding::LayerStages::everywhere : pipeline_.stages.of[*same]);
        }
        larger_staged_ = sharding::staged(request_.larger->graph, stages);
    }

    void lay_out_larger_of(Part &part, int number) {
        if (larger_staged_.stages.empty())
            return;
        for (int m = 0; m < request_.larger->count; ++m)
            part.larger_count += schedule_.replica_of[static_cast<std::size_t>(m)] == number / schedule_.stages ? 1 : 0;
        part.larger = sharding::stage_graph(request_.larger->graph, larger_staged_, number % schedule_.stages);
        LaidOutGraph laid_out = lay_out_larger(std::move(part.larger.graph), part.stage.graph, part.laid_out,
                                               ranks_of(part).mesh, plan_.layers, plan_.storage, known_of(part));
        part.larger.graph = std::move(laid_out.graph);
        part.larger_laid_out = std::move(laid_out.laid_out);
    }

    static planrt::Traffic busiest(const std::vector<planrt::Traffic> &by_rank) {
        return *std::max_element(by_rank.begin(), by_rank.end(), [](const auto &a, const auto &b) {
            return std::pair(a.elements, a.calls) < std::pair(b.elements, b.calls);
        });
    }

    /// What the stages of a role take together. The table has the role with most.
    void add_up(int role) {
        Seconds work{};
        Bytes payload{};
        std::int64_t calls = 0;
        cost::Memory memory;
        std::vector<planrt::Traffic> sent(static_cast<std::size_t>(plan_.mesh.ranks()));
        for (std::size_t number = 0; number < parts_.size(); ++number) {
            const Part &part = parts_[number];
            if (part.role != role)
                continue;
            const cost::StageRow &row = row_of(number);
            work += static_cast<double>(part.stage.graph.microbatches) * (row.forward + row.backward()) + row.update;
            payload += part.table.payload;
            calls += part.table.calls;
            for (std::size_t rank = 0; rank < sent.size(); ++rank) {
                sent[rank].calls += part.sent[rank].calls;
                sent[rank].elements += part.sent[rank].elements;
            }
            memory = together(memory, part.table.memory);
        }
        const planrt::Traffic most = busiest(sent);
        payload += Bytes(static_cast<double>(most.elements));
        cost_.work = std::max(cost_.work, work);
        if (memory.total() > table_.memory.total())
            table_.memory = memory;
        if (payload > table_.payload) {
            table_.payload = payload;
            table_.calls = calls + most.calls;
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
        const sharding::StageGraph &stage = of_larger ? sender.larger : sender.stage;
        const sharding::LaidOut &laid_out = of_larger ? sender.larger_laid_out : sender.laid_out;
        const Graph &graph = stage.graph;
        const ValueId sent = stage.number[crossing.value];
        const auto place = std::find(graph.sent.begin(), graph.sent.end(), sent) - graph.sent.begin();
        const Placement &leaves = laid_out.copies[sent][laid_out.sent_copy[static_cast<std::size_t>(place)]].placement;
        const sharding::Operation &producer = graph.operations[graph.values[sent].producer];
        const bool once = producer.per_step || producer.accumulates;
        const int bytes = graph.values[sent].element_bytes;
        const std::int64_t times = of_larger ? sender.larger_count
                                   : once    ? graph.weights.updates
                                             : graph.microbatches - sender.larger_count;
        const ValueId arrives = (of_larger ? receiver.larger : receiver.stage).number[crossing.value];
        for (const sharding::Copy &copy : (of_larger ? receiver.larger_laid_out : receiver.laid_out).copies[arrives]) {
            if (copy.source >= 0) // made from another one that arrives
                continue;
            std::int64_t most = 0;
            for (int rank = 0; rank < plan_.mesh.ranks(); ++rank) {
                const planrt::Traffic traffic = planrt::traffic(
                    {leaves, ranks_of(sender).role}, {copy.placement, ranks_of(receiver).role}, plan_.mesh, rank);
                planrt::Traffic &sum = sender.sent[static_cast<std::size_t>(rank)];
                sum.calls += times * traffic.calls;
                sum.elements += times * traffic.elements * bytes;
                most = std::max(most, traffic.elements);
            }
            if (most == 0 || of_larger || crossing.from >= schedule_.stages) // it stays; as others, as in replica 0
                continue;
            cost::StageRow &row = cost_.stages[static_cast<std::size_t>(crossing.from)];
            (once ? row.update : row.sends) += cost::point_to_point(group_of(sender, receiver), /*neighbours=*/true, 1,
                                                                    Bytes(static_cast<double>(most) * bytes))
                                                   .seconds();
        }
    }

    /// Once a step, the stages that use a parameter, in all replicas, send each other their gradients of it.
    void add_sums(ValueId value, const std::vector<int> &users) {
        const auto home = [&](const Part &part) {
            return part.laid_out.copies[part.stage.number[value]].front().placement;
        };
        for (const int from : users)
            for (const int to : users)
                if (from != to && parts_[static_cast<std::size_t>(from)].stage.number[value] &&
                    parts_[static_cast<std::size_t>(to)].stage.number[value])
                    add_sum(from, home(parts_[static_cast<std::size_t>(from)]), to,
                            home(parts_[static_cast<std::size_t>(to)]), request_.graph.values[value].element_bytes);
    }

    /// The replicas' losses are added up on the first.
    void add_loss(ValueId loss) {
        const sharding::OperationId producer = request_.graph.values[loss].producer;
        const int stage = producer ? staged_.stages[producer].front() : 0;
        for (int part = stage + schedule_.stages; part < schedule_.parts(); part += schedule_.stages)
            add_sum(part, {}, stage, {}, request_.graph.values[loss].element_bytes);
    }

    void add_sum(int from, const Placement &sent, int to, const Placement &received, int element_bytes) {
        Part &sender = parts_[static_cast<std::size_t>(from)];
        const Part &receiver = parts_[static_cast<std::size_t>(to)];
        if (sender.role == receiver.role)
            return;
        std::int64_t most = 0;
        for (int rank = 0; rank < plan_.mesh.ranks(); ++rank) {
            const planrt::Traffic traffic =
                planrt::traffic({sent, ranks_of(sender).role}, {received, ranks_of(receiver).role}, plan_.mesh, rank);
            planrt::Traffic &sum = sender.sent[static_cast<std::size_t>(rank)];
            sum.calls += traffic.calls;
            sum.elements += traffic.elements * element_bytes;
            most = std::max(most, traffic.elements);
        }
        const Seconds time = cost::point_to_point(group_of(sender, receiver), /*neighbours=*/false, 1,
                                                  Bytes(static_cast<double>(most) * element_bytes))
                                 .seconds();
        for (const int end : {from, to})
            if (end < schedule_.stages) // those of other replicas are as in replica 0
                cost_.stages[static_cast<std::size_t>(end)].update += time;
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
        const Seconds update = longest_update(schedule_, cost_);
        cost_.axis = pipeline_.axis;
        cost_.schedule = pipeline::is_table(pipeline_.schedule) ? "table" : pipeline_.schedule;
        cost_.with_barrier = Seconds(measured.makespan) + update;
        cost_.back_to_back = Seconds(measured.period) + update;
    }

    const Request &request_;
    const Plan &plan_;
    const PipelinePlan &pipeline_;
    std::vector<Part> parts_;
    int axis_;                ///< of the pipeline
    std::deque<Ranks> ranks_; ///< by role; they refer to each other
    sharding::StagedGraph staged_;
    sharding::StagedGraph larger_staged_; ///< empty: all micro-batches are of one size
    pipeline::Schedule schedule_;
    std::vector<std::vector<int>> slots_; ///< by role and micro-batch
    std::vector<bool> stashes_;           ///< by stage
    cost::PipelineCost cost_;
    CostTable table_;
};

} // namespace

CostTable price_pipeline(const Request &request, const Plan &plan) {
    return PipelinePrice(request, plan).make();
}

const std::vector<std::string> &searched_schedules() {
    static const std::vector<std::string> names{"one_f_one_b", "zero_bubble", "gpipe"};
    return names;
}

Seconds seconds_with(const std::string &schedule, int ranks, int chunks, int microbatches,
                     const cost::PipelineCost &cost) {
    const pipeline::Schedule made = pipeline::made_by(schedule, ranks, chunks, microbatches);
    return Seconds(pipeline::makespan(made, durations(made, cost))) + longest_update(made, cost);
}

int ranks_of_pipeline(const Plan &plan) {
    const auto axis = std::find(plan.axes.begin(), plan.axes.end(), plan.pipeline->axis) - plan.axes.begin();
    return plan.mesh.sizes[static_cast<std::size_t>(axis)];
}

} // namespace planc::plan
