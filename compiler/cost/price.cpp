#include "cost/price.h"

#include "cost/collectives/traffic.h"
#include "cost/kernels/compute.h"
#include "cost/longest_chain.h"
#include "cost/roles.h"
#include "sharding/joint_sums.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

namespace planc::cost {

using planrt::Placement;
using sharding::OperationId;
using sharding::Step;
using sharding::ValueId;

namespace {

/// Adds up what every rank sends. It scans ranks only where they differ: the first rank has the largest blocks and is
/// the busiest of every collective except an all-to-all or exchange of uneven blocks.
class RankSums {
  public:
    RankSums(const Mesh &mesh, SendTables &sends) : mesh_(mesh), sends_(sends) {}

    /// `times` a step.
    void add(const Step &step, int element_bytes, bool call, int times) {
        const bool point_to_point = step.kind == CollectiveKind::all_to_all || step.kind == CollectiveKind::exchange;
        const bool alike = uniform_traffic(step, mesh_);
        scan_ |= point_to_point && !alike;
        (alike ? alike_ : different_).push_back({step, element_bytes, call, times});
    }
    void add_calls(std::int64_t calls) { calls_ += calls; }

    void report(CostTable &table) {
        table.calls = calls_;
        for (const Row &row : alike_)
            add(table, row, sends_.busiest(row.step).sender.sent);
        if (scan_)
            find_busiest(table);
        else
            for (const Row &row : different_)
                add(table, row, sends_.busiest(row.step).sender.sent);
    }

    /// Calls and bytes of every rank.
    [[nodiscard]] std::vector<planrt::Traffic> by_rank() {
        std::vector<planrt::Traffic> sums(static_cast<std::size_t>(mesh_.ranks()), {calls_, 0});
        for (const auto *rows : {&alike_, &different_})
            for (const Row &row : *rows) {
                const std::vector<Flow> &flow = sends_.by_rank(row.step);
                for (std::size_t rank = 0; rank < sums.size(); ++rank) {
                    sums[rank].elements += row.times * flow[rank].sent.elements * row.element_bytes;
                    sums[rank].calls += row.call ? row.times * flow[rank].sent.calls : 0;
                }
            }
        return sums;
    }

  private:
    struct Row {
        Step step;
        int element_bytes = 4;
        bool call = true;
        int times = 1;
    };

    static void add(CostTable &table, const Row &row, const Traffic &traffic) {
        table.payload += Bytes(static_cast<double>(row.times * traffic.elements) * row.element_bytes);
        table.calls += row.call ? row.times * traffic.calls : 0;
    }

    void find_busiest(CostTable &table) {
        std::vector<double> bytes(mesh_.ranks(), 0.0);
        for (const Row &row : different_) {
            const std::vector<Flow> &by_rank = sends_.by_rank(row.step);
            for (std::size_t rank = 0; rank < bytes.size(); ++rank)
                bytes[rank] += static_cast<double>(row.times * by_rank[rank].sent.elements) * row.element_bytes;
        }
        table.busiest_rank = static_cast<int>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
        for (const Row &row : different_)
            add(table, row, sends_.by_rank(row.step)[table.busiest_rank].sent);
    }

    const Mesh &mesh_;
    SendTables &sends_;
    std::int64_t calls_ = 0;
    std::vector<Row> alike_;     ///< the same on every rank
    std::vector<Row> different_; ///< by rank
    bool scan_ = false;
};

std::string layout_text(const sharding::Value &value, const Placement &placement,
                        const std::vector<std::string> &axes) {
    const auto joined = [&axes](std::span<const int> list) {
        std::string text;
        for (int axis : list)
            text += (text.empty() ? "" : " and ") + axes[axis];
        return text;
    };
    std::string text;
    for (std::size_t d = 0; d < placement.dimensions.size(); ++d)
        if (!placement.dimensions[d].axes.empty())
            text += (text.empty() ? "" : ", ") + value.roles[d] + " over " + joined(placement.dimensions[d].axes) +
                    (!placement.dimensions[d].window           ? ""
                     : !placement.dimensions[d].is_sparse()    ? " with halos"
                     : placement.dimensions[d].window->addends ? " as touched"
                                                               : " as needed");
    if (!placement.partial.empty())
        text += (text.empty() ? "partial over " : ", partial over ") + joined(placement.partial);
    if (!placement.stored.empty())
        text += (text.empty() ? "stored over " : ", stored over ") + joined(placement.stored);
    return text.empty() ? "replicated" : text;
}

/// A function of the step and how often it runs.
struct Part {
    const Graph &graph;
    const GraphFacts &facts;
    const LaidOut &laid_out;
    int times = 1;           ///< what does not run once a step
    PerLayer<LayerId> layer; ///< of the table, per layer of the graph
    std::vector<sharding::Bucket> joint_sums;
    std::set<const CollectiveRow *> added = {}; ///< rows of an earlier part that have got this one's numbers
    PartSeconds seconds = {};
};

class Table {
  public:
    Table(const Graph &graph, const GraphFacts &facts, const LaidOut &laid_out, const Mesh &mesh,
          const std::vector<std::string> &axes, const Machine &machine, StepPrices &prices)
        : graph_(graph), facts_(facts), laid_out_(laid_out), mesh_(mesh), machine_(machine), prices_(prices),
          sums_(mesh, prices.sends()) {
        table_.axes = axes;
        table_.mesh = mesh;
    }

    CostTable make(const LayerStrategies &layers, const Storage &storage, const LargerMicroBatches *larger,
                   std::vector<planrt::Traffic> *by_rank) {
        table_.storage = storage;
        table_.microbatches = graph_.microbatches;
        add_layers(layers);
        add_buckets();
        const int equal = graph_.microbatches - (larger == nullptr ? 0 : larger->count);
        Part step{graph_, facts_, laid_out_, equal, {}, joint_sums(graph_, facts_.companions, laid_out_, mesh_)};
        add(step);
        table_.chain = longest_chain(graph_, laid_out_, step.seconds);
        table_.memory = memory(graph_, facts_, laid_out_, mesh_, buckets_, step.joint_sums);
        if (larger != nullptr) {
            bucket_of_.clear();
            const GraphFacts facts(larger->graph, machine_);
            Part part{larger->graph, facts, larger->laid_out,
                      larger->count, {},    joint_sums(larger->graph, facts.companions, larger->laid_out, mesh_)};
            add(part);
            table_.memory =
                larger_of(table_.memory, memory(larger->graph, facts, larger->laid_out, mesh_, {}, part.joint_sums));
        }
        sums_.report(table_);
        if (by_rank != nullptr)
            *by_rank = sums_.by_rank();
        return std::move(table_);
    }

  private:
    void add_layers(const LayerStrategies &layers) {
        const PerLayer<LayerRoles> all = roles(graph_);
        for (const LayerId l : graph_.layers.ids()) {
            LayerRow &row = table_.layers.emplace_back();
            row.name = graph_.layers[l].name;
            for (int axis = 0; axis < static_cast<int>(layers[l].loop_of_axis.size()); ++axis) {
                const std::string &loop = layers[l].loop_of_axis[axis];
                if (std::find(all[l].loops.begin(), all[l].loops.end(), loop) == all[l].loops.end())
                    continue;
                row.split.push_back({axis, loop, all[l].word(loop)});
            }
        }
    }

    void add(Part &part) {
        std::unordered_map<std::string_view, LayerId> rows;
        for (const LayerId row : table_.layers.ids())
            rows.emplace(table_.layers[row].name, row);
        for (const sharding::Layer &layer : part.graph.layers)
            part.layer.push_back(rows.at(layer.name));
        add_compute(part);
        joined_.clear();
        for (const sharding::Bucket &call : part.joint_sums)
            for (std::size_t m = 1; m < call.members.size(); ++m)
                joined_.insert({call.members[m].value, call.members[m].copy});
        for (const ValueId v : part.graph.values.ids()) {
            part.seconds.copies.emplace_back().resize(part.laid_out.copies[v].size());
            for (int c = 0; c < static_cast<int>(part.laid_out.copies[v].size()); ++c)
                add_copy(part, v, c);
        }
    }

    /// How often a step updates the weights: counted with the micro-batches of graph_, whatever their sizes.
    [[nodiscard]] int updates(const Part &part) const {
        const bool has_several = part.graph.weights.updates > 1;
        return !has_several ? 1 : &part.graph == &graph_ ? graph_.weights.updates : 0;
    }

    void add_compute(Part &part) {
        for (const OperationId o : part.graph.operations.ids()) {
            const sharding::Operation &operation = part.graph.operations[o];
            const sharding::Strategy &strategy = part.laid_out.operations[o].strategy;
            const Seconds once = seconds_under(strategy, operation, part.facts.work[o], mesh_, machine_);
            const Seconds seconds = (operation.per_step ? updates(part) : part.times) * once;
            part.seconds.operations.push_back(once);
            table_.layers[part.layer[operation.layer]].compute[static_cast<std::size_t>(operation.phase)] += seconds;
            table_.compute += seconds;
        }
    }

    /// Memory that lives through the step is equal in both; of the rest, the maximum counts.
    static Memory larger_of(Memory step, const Memory &other) {
        step.activations = std::max(step.activations, other.activations);
        step.inputs = std::max(step.inputs, other.inputs);
        step.buffers = std::max(step.buffers, other.buffers);
        step.passing = std::max(step.passing, other.passing);
        return step;
    }

    void add_buckets() {
        buckets_ = sharding::buckets(graph_, laid_out_, mesh_);
        for (const sharding::Bucket &bucket : buckets_) {
            BucketRow &row = table_.buckets.emplace_back();
            row.axes = bucket.axes;
            row.payload = Bytes(static_cast<double>(bucket.bytes));
            for (const sharding::BucketMember &member : bucket.members) {
                bucket_of_[{member.value, member.copy}] = static_cast<int>(table_.buckets.size()) - 1;
                row.layers.push_back(laid_out_.copies[member.value][member.copy].layer);
            }
            std::sort(row.layers.begin(), row.layers.end());
            row.layers.erase(std::unique(row.layers.begin(), row.layers.end()), row.layers.end());
            const sharding::BucketMember &first = bucket.members[0];
            const sharding::Copy &copy = laid_out_.copies[first.value][first.copy];
            const StepPrice &price =
                prices_.of(copy.steps[0], graph_.values[first.value].element_bytes, in_bucket(true, copy.phase));
            row.ranks = price.ranks;
            row.phase = copy.phase;
            row.price.messages = price.price.messages;
            row.price.latency = price.price.latency;
            row.calls = graph_.weights.updates;
            row.price = graph_.weights.updates * row.price;
            table_.communication += row.price.seconds();
            sums_.add_calls(row.calls);
        }
    }

    void add_copy(Part &part, ValueId v, int c) {
        const sharding::Value &value = part.graph.values[v];
        const sharding::Copy &copy = part.laid_out.copies[v][c];
        const int times = sharding::once_a_step(part.graph, v, copy) ? updates(part) : part.times;
        const bool fusable = in_bucket(sharding::fusable(part.graph, mesh_, v, copy), copy.phase);
        for (const Step &step : copy.steps) {
            if (step.kind == CollectiveKind::slice)
                continue;
            const StepPrice &price = prices_.of(step, value.element_bytes, fusable);
            const auto fused = bucket_of_.find({v, c});
            CollectiveRow row;
            row.kind = step.kind;
            row.axes = step.axes;
            row.phase = copy.phase;
            row.layer = part.layer[copy.layer];
            row.tensor = value.name;
            row.times = times;
            row.calls = times * price.traffic.calls;
            row.payload = Bytes(static_cast<double>(times * price.traffic.elements) * value.element_bytes);
            row.ranks = price.ranks;
            row.vector_bytes = price.vector_bytes;
            row.algorithm = price.algorithm;
            row.by_mpi = price.method.algorithm == planrt::Algorithm::mpi;
            if (price.rate != nullptr)
                row.rate = *price.rate;
            row.halo = planrt::has_halos(step.to);
            row.price = price.price;
            row.from = layout_text(value, step.from, table_.axes);
            row.to = layout_text(value, step.to, table_.axes);
            if (fused != bucket_of_.end()) {
                row.bucket = fused->second;
                row.calls = 0;
                row.price.messages = 0;
                row.price.latency = Seconds(0);
            }
            const bool joined = joined_.contains({v, c}); // the call is its companion's
            if (joined) {
                row.joined = true;
                row.calls = 0;
                row.price.messages = 0;
                row.price.latency = Seconds(0);
            }
            if (!row.halo)
                part.seconds.copies[v][c] += row.price.seconds();
            row.price = times * row.price;
            table_.communication += row.price.seconds();
            sums_.add(step, value.element_bytes, row.bucket < 0 && !joined, times);
            book(part, std::move(row), value, step);
        }
    }

    /// Whether the step only adds halos to the blocks that a rank has.
    static bool adds_halos(const Step &step) {
        return planrt::is_windowed(step.to) &&
               std::equal(step.from.dimensions.begin(), step.from.dimensions.end(), step.to.dimensions.begin(),
                          [](const auto &a, const auto &b) { return a.axes == b.axes; });
    }

    /// Books a row. Data that moves between layers is a reshard; everything else, halos included, belongs to a layer.
    void book(Part &part, CollectiveRow row, const sharding::Value &value, const Step &step) {
        const LayerId from_layer = part.layer[value.layer];
        const bool between_layers =
            !step.sums() && value.kind == sharding::ValueKind::computed && from_layer != row.layer && !adds_halos(step);
        if (between_layers)
            row.from_layer = from_layer;
        std::vector<CollectiveRow> &rows = between_layers ? table_.reshards : table_.layers[row.layer].collectives;
        if (&part.graph == &graph_)
            rows.push_back(std::move(row));
        else
            add_to_its_like(part, rows, row);
    }

    /// Adds a collective of the larger micro-batches to the row of the others.
    static void add_to_its_like(Part &part, std::vector<CollectiveRow> &rows, const CollectiveRow &row) {
        for (CollectiveRow &known : rows) {
            const bool alike = known.kind == row.kind && known.axes == row.axes && known.phase == row.phase &&
                               known.layer == row.layer && known.from_layer == row.from_layer &&
                               known.tensor == row.tensor && known.from == row.from && known.to == row.to;
            if (!alike || !part.added.insert(&known).second)
                continue;
            known.calls += row.calls;
            known.payload += row.payload;
            known.times += row.times;
            known.price = known.price + row.price;
            known.vector_bytes = std::max(known.vector_bytes, row.vector_bytes);
            return;
        }
        part.added.clear(); // rows may move
        rows.push_back(row);
    }

    const Graph &graph_;
    const GraphFacts &facts_;
    const LaidOut &laid_out_;
    const Mesh &mesh_;
    const Machine &machine_;
    StepPrices &prices_;
    RankSums sums_;
    CostTable table_;
    std::vector<sharding::Bucket> buckets_;
    std::map<std::pair<ValueId, int>, int> bucket_of_; ///< (value, copy)
    std::set<std::pair<ValueId, int>> joined_;         ///< (value, copy) of the part: travel with their companions
};

} // namespace

GraphFacts::GraphFacts(const Graph &graph, const Machine &machine)
    : work(work_of_operations(graph, machine)), residences(cost::residences(graph)), lives(cost::lives(graph)),
      companions(sharding::companions(graph)) {}

Seconds LayerRow::compute_seconds() const {
    Seconds sum{};
    for (Seconds seconds : compute)
        sum += seconds;
    return sum;
}

Seconds LayerRow::seconds() const {
    Seconds sum = compute_seconds();
    for (const CollectiveRow &row : collectives)
        sum += row.price.seconds();
    return sum;
}

Bytes LayerRow::payload() const {
    Bytes sum{};
    for (const CollectiveRow &row : collectives)
        sum += row.payload;
    return sum;
}

Seconds CostTable::carried() const {
    Seconds on_links{};
    Seconds by_processors{};
    const auto add = [&](const std::vector<CollectiveRow> &rows) {
        for (const CollectiveRow &row : rows) {
            const double processor = row.rate ? row.rate->processor : 0;
            on_links += (1 - processor) * row.price.transfer;
            by_processors += processor * row.price.transfer;
        }
    };
    for (const LayerRow &layer : layers)
        add(layer.collectives);
    add(reshards);
    return std::max(on_links, by_processors);
}

Seconds CostTable::at_least() const {
    return std::max(chain, carried());
}

CostTable price(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh, const std::vector<std::string> &axes,
                const Machine &machine, const LayerStrategies &layers, const Storage &storage,
                const LargerMicroBatches *larger) {
    StepPrices prices(mesh, machine);
    return price(graph, GraphFacts(graph, machine), laid_out, mesh, axes, machine, layers, storage, prices, larger);
}

CostTable price(const Graph &graph, const GraphFacts &facts, const LaidOut &laid_out, const Mesh &mesh,
                const std::vector<std::string> &axes, const Machine &machine, const LayerStrategies &layers,
                const Storage &storage, StepPrices &prices, const LargerMicroBatches *larger,
                std::vector<planrt::Traffic> *by_rank) {
    return Table(graph, facts, laid_out, mesh, axes, machine, prices).make(layers, storage, larger, by_rank);
}

} // namespace planc::cost
