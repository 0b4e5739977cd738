#include "cost/memory.h"

#include "cost/kernels/compute.h"
#include "cost/matrices.h"
#include "cost/price.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::cost {

using sharding::CollectiveKind;
using sharding::LayerId;
using sharding::OperationId;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::Phase;
using sharding::ValueId;
using sharding::ValueKind;

namespace {

/// The readers and writers of a value, as far as its lifetime depends on them.
struct Uses {
    bool by_update = false;
    bool by_others = false;
    bool by_backward = false;
    bool leaves_loop = false; ///< it is read outside the fused loop that makes it, and needs memory
    int count = 0;
    OperationId last;
};

bool is_sum(const sharding::Graph &graph, OperationId operation) {
    return operation && graph.microbatches > 1 && graph.operations[operation].accumulates;
}

/// Whether one loop of an update makes both.
bool share_loop(const sharding::Operation &a, const sharding::Operation &b) {
    const auto is_loop = [](const sharding::Operation &operation) {
        return operation.kernel == sharding::Kernel::pointwise || operation.kernel == sharding::Kernel::reduction;
    };
    return is_loop(a) && is_loop(b) && a.layer == b.layer && a.parameter == b.parameter && a.phase == b.phase &&
           a.phase == Phase::update;
}

PerValue<Uses> uses_of_values(const sharding::Graph &graph) {
    PerValue<Uses> uses(graph.values.size());
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        for (const ValueId v : operation.operands) {
            const OperationId producer = graph.values[v].producer;
            uses[v].last = o;
            ++uses[v].count;
            uses[v].leaves_loop |= !producer || !share_loop(graph.operations[producer], operation);
            (operation.phase == Phase::update ? uses[v].by_update : uses[v].by_others) = true;
            uses[v].by_backward |= operation.phase == Phase::input_gradient ||
                                   operation.phase == Phase::weight_gradient || operation.phase == Phase::recompute;
        }
    }
    for (const ValueId v : graph.outputs) {
        uses[v].last = graph.end_of_program();
        ++uses[v].count;
        uses[v].leaves_loop = true;
    }
    return uses;
}

bool written_in_place(const sharding::Graph &graph, ValueId value) {
    const sharding::Operation &operation = graph.operations[graph.values[value].producer];
    const std::size_t result = sharding::result_number(graph, value);
    return result < operation.writes.size() && operation.writes[result];
}

Residence residence(const sharding::Graph &graph, const Uses &uses, ValueId v) {
    const sharding::Value &value = graph.values[v];
    if (value.kind == ValueKind::variable)
        return uses.by_others ? Residence::parameter : Residence::optimizer_state;
    if (value.kind == ValueKind::free || !value.producer)
        return Residence::input;
    const sharding::Operation &producer = graph.operations[value.producer];
    if (written_in_place(graph, v) || (producer.phase == Phase::update && !uses.leaves_loop))
        return Residence::in_place;
    if (producer.kernel == sharding::Kernel::contraction && uses.count == 1 && is_sum(graph, uses.last))
        return Residence::summed;
    if (uses.by_update && producer.phase != Phase::update)
        return Residence::gradient;
    if (uses.by_backward && (producer.phase == Phase::forward || producer.phase == Phase::loss))
        return Residence::activation;
    return Residence::passing;
}

bool passes(Residence residence) {
    return residence == Residence::passing || residence == Residence::summed;
}

Life life_of(const sharding::Graph &graph, const Uses &uses, ValueId v) {
    const OperationId producer = graph.values[v].producer;
    return {producer, std::max(uses.last, producer)};
}

double bytes_of(const sharding::Value &value, const sharding::Copy &copy, const sharding::Mesh &mesh) {
    return static_cast<double>(planrt::largest_volume(copy.placement, mesh)) * value.element_bytes;
}

/// Whether a copy exists only for a short time although its value lives through the step.
bool transient(const sharding::Graph &graph, ValueId v, Residence residence, std::span<const CopyMemory> copies,
               std::size_t c) {
    if (c == 0 && is_sum(graph, graph.values[v].producer))
        return false;
    if (residence == Residence::parameter || residence == Residence::optimizer_state)
        return c > 0 && copies[0].in_shares;
    return residence == Residence::gradient && c == 0 &&
           std::any_of(copies.begin() + 1, copies.end(),
                       [](const CopyMemory &copy) { return copy.source == 0 && copy.scattered; });
}

std::vector<CopyMemory> copies_memory(const sharding::Value &value, const std::vector<sharding::Copy> &copies,
                                      const sharding::Mesh &mesh) {
    std::vector<CopyMemory> result;
    for (const sharding::Copy &copy : copies)
        result.push_back(copy_memory(value, copy, mesh));
    return result;
}

/// Memory that is used for a while: passing values, and transient copies of others.
class Passing {
  public:
    Passing(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const sharding::Mesh &mesh)
        : graph_(graph), laid_out_(laid_out), mesh_(mesh), change_(graph.operations.size() + 2, 0.0) {}

    void add(double bytes, Life life) {
        change_[std::max(first, life.first)] += bytes;
        change_[life.last + 1] -= bytes;
    }

    /// Gathered parameters are fetched while the previous layer runs, and freed after their last use; gradients are
    /// scattered while the next layer runs.
    void add_transient(ValueId v, int c) {
        const sharding::Value &value = graph_.values[v];
        const sharding::Copy &copy = laid_out_.copies[v][c];
        Life life{value.producer, value.kind == ValueKind::computed ? end_of_next_layer(value.producer) : first};
        if (value.kind == ValueKind::variable) {
            life.first = begin_of_previous_layer(copy.first_use);
            life.last = last_use(v, c, copy.first_use);
        }
        add(bytes_of(value, copy, mesh_), life);
    }

    void find_most(Memory &memory) const {
        double now = 0;
        for (const OperationId o : change_.ids()) {
            now += change_[o];
            if (now <= memory.passing.value)
                continue;
            memory.passing = Bytes(now);
            memory.peak = o;
        }
    }

  private:
    static constexpr OperationId first{0};

    [[nodiscard]] OperationId begin_of_previous_layer(OperationId operation) const {
        const auto begin_of_layer = [this](OperationId o) {
            const LayerId layer = graph_.operations[o].layer;
            while (o > first && graph_.operations[o - 1].layer == layer)
                o = o - 1;
            return o;
        };
        return begin_of_layer(std::max(first, begin_of_layer(std::max(first, operation)) - 1));
    }

    [[nodiscard]] OperationId end_of_next_layer(OperationId operation) const {
        const auto end_of_layer = [this](OperationId o) {
            const LayerId layer = graph_.operations[o].layer;
            while (o + 1 < graph_.end_of_program() && graph_.operations[o + 1].layer == layer)
                ++o;
            return o;
        };
        const OperationId last = end_of_layer(operation);
        return end_of_layer(std::min(last + 1, graph_.end_of_program() - 1));
    }

    [[nodiscard]] OperationId last_use(ValueId v, int c, OperationId first_use) {
        if (last_uses_.empty())
            for (const OperationId o : graph_.operations.ids())
                for (std::size_t i = 0; i < graph_.operations[o].operands.size(); ++i)
                    last_uses_[{graph_.operations[o].operands[i], laid_out_.operations[o].operand_copy[i]}] = o;
        const auto last = last_uses_.find({v, c});
        return std::max({first, first_use, last == last_uses_.end() ? first : last->second});
    }

    const sharding::Graph &graph_;
    const sharding::LaidOut &laid_out_;
    const sharding::Mesh &mesh_;
    PerOperation<double> change_;                              ///< in bytes
    std::map<std::pair<ValueId, int>, OperationId> last_uses_; ///< of value and copy; made where it is asked for
};

/// The packing of one step, input and output; an all-reduce works in place.
double packing(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh) {
    const auto largest = [&](const planrt::Placement &placement) {
        return static_cast<double>(planrt::largest_volume(placement, mesh)) * element_bytes;
    };
    switch (step.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::all_reduce:
        return 0;
    case CollectiveKind::reduce_scatter:
        return largest(step.from);
    case CollectiveKind::all_gather:
        return largest(step.to);
    case CollectiveKind::all_to_all:
    case CollectiveKind::exchange:
        return largest(step.from) + largest(step.to);
    }
    return 0;
}

} // namespace

PerValue<Residence> residences(const sharding::Graph &graph) {
    const PerValue<Uses> uses = uses_of_values(graph);
    PerValue<Residence> result;
    for (const ValueId v : graph.values.ids())
        result.push_back(residence(graph, uses[v], v));
    return result;
}

PerValue<Life> lives(const sharding::Graph &graph) {
    const PerValue<Uses> uses = uses_of_values(graph);
    PerValue<Life> result;
    for (const ValueId v : graph.values.ids())
        result.push_back(passes(residence(graph, uses[v], v)) ? life_of(graph, uses[v], v)
                                                              : Life{{}, graph.end_of_program()});
    return result;
}

CopyMemory copy_memory(const sharding::Value &value, const sharding::Copy &copy, const sharding::Mesh &mesh) {
    const std::vector<sharding::Step> &steps = copy.steps;
    return {.bytes = bytes_of(value, copy, mesh),
            .source = copy.source,
            .in_shares = !copy.placement.stored.empty(),
            .all_reduced = steps.size() == 1 && steps[0].kind == CollectiveKind::all_reduce,
            .scattered = !steps.empty() && steps[0].kind == CollectiveKind::reduce_scatter};
}

Bytes copies_bytes(const sharding::Graph &graph, ValueId v, Residence residence, std::span<const CopyMemory> copies) {
    if (residence == Residence::summed && copies.size() == 1)
        return Bytes(0);
    // They outlive a body (schedule/assign_buffers.cpp). Where weights change within the step, the update takes
    // gradients at once.
    const bool in_slots = residence == Residence::activation || residence == Residence::input ||
                          (residence == Residence::gradient && graph.weights.updates == 1);
    const bool is_accumulated = is_sum(graph, graph.values[v].producer);
    double bytes = 0;
    for (std::size_t c = 0; c < copies.size(); ++c) {
        const bool in_place = copies[c].all_reduced && !(is_accumulated && graph.slots > 1);
        const bool is_accumulator = is_accumulated && c == 0;
        if (!in_place && !transient(graph, v, residence, copies, c))
            bytes += (in_slots && !is_accumulator ? graph.slots : 1) * copies[c].bytes;
    }
    return Bytes(bytes);
}

/// Bytes of a parameter beyond its variable: what micro-batches keep of it, or another version.
static double bytes_of_versions(const sharding::Graph &graph, const Uses &uses, std::span<const CopyMemory> copies) {
    if (!uses.by_update || copies.empty()) // it is no parameter that changes
        return 0;
    const int stashed = graph.weights.stashed && uses.by_backward ? graph.slots : 0;
    return (stashed + graph.weights.versions - 1) * copies.front().bytes;
}

Memory memory(const sharding::Graph &graph, const GraphFacts &facts, const sharding::LaidOut &laid_out,
              const sharding::Mesh &mesh, const std::vector<sharding::Bucket> &buckets,
              const std::vector<sharding::Bucket> &joint_sums) {
    const PerValue<Residence> &residences = facts.residences;
    Memory memory;
    Passing passing(graph, laid_out, mesh);
    double packed = 0;
    const PerValue<Uses> uses = uses_of_values(graph);
    for (const ValueId v : graph.values.ids()) {
        const sharding::Value &value = graph.values[v];
        const std::vector<CopyMemory> copies = copies_memory(value, laid_out.copies[v], mesh);
        const Bytes bytes = copies_bytes(graph, v, residences[v], copies);
        switch (residences[v]) {
        case Residence::parameter:
            memory.parameters += bytes + Bytes(bytes_of_versions(graph, uses[v], copies));
            break;
        case Residence::optimizer_state:
            memory.optimizer_state += bytes;
            break;
        case Residence::gradient:
            memory.gradients += bytes;
            break;
        case Residence::activation:
            memory.activations += bytes;
            break;
        case Residence::input:
            memory.inputs += bytes;
            break;
        case Residence::in_place:
            break;
        case Residence::passing:
        case Residence::summed:
            passing.add(bytes.value, facts.lives[v]);
            break;
        }
        for (std::size_t c = 0; c < copies.size(); ++c)
            if (transient(graph, v, residences[v], copies, c))
                passing.add_transient(v, static_cast<int>(c));
        for (const sharding::Copy &copy : laid_out.copies[v])
            for (const sharding::Step &step : copy.steps)
                packed = std::max(packed, packing(step, value.element_bytes, mesh));
    }
    passing.find_most(memory);
    memory.inputs += bytes_of_matrices(graph, laid_out, mesh);
    memory.buffers = Bytes(packed);
    for (const sharding::Bucket &call : joint_sums)
        memory.buffers = std::max(memory.buffers, Bytes(2 * static_cast<double>(call.bytes)));
    for (const sharding::Bucket &bucket : buckets)
        memory.buffers += Bytes(2 * static_cast<double>(bucket.bytes)); // what goes in and what comes out
    return memory;
}

} // namespace planc::cost
