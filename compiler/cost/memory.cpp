#include "cost/memory.h"

#include <algorithm>

namespace planc::cost {

using sharding::CollectiveKind;
using sharding::Phase;
using sharding::ValueKind;

namespace {

/// Who reads and writes a value, as far as its life depends on it.
struct Uses {
    bool by_update = false;
    bool by_others = false;
    bool by_backward = false;
    int last = -1;
};

std::vector<Uses> uses_of_values(const sharding::Graph &graph) {
    std::vector<Uses> uses(graph.values.size());
    for (int o = 0; o < static_cast<int>(graph.operations.size()); ++o) {
        const sharding::Operation &operation = graph.operations[o];
        for (int v : operation.operands) {
            uses[v].last = o;
            (operation.phase == Phase::update ? uses[v].by_update : uses[v].by_others) = true;
            uses[v].by_backward |= operation.phase == Phase::input_gradient ||
                                   operation.phase == Phase::weight_gradient || operation.phase == Phase::recompute;
        }
    }
    for (int v : graph.outputs)
        uses[v].last = static_cast<int>(graph.operations.size());
    return uses;
}

bool written_in_place(const sharding::Graph &graph, int value) {
    const int producer = graph.values[value].producer;
    if (producer < 0)
        return false;
    const sharding::Operation &operation = graph.operations[producer];
    for (std::size_t i = 0; i < operation.results.size() && i < operation.writes.size(); ++i)
        if (operation.results[i] == value)
            return operation.writes[i] >= 0;
    return false;
}

Residence residence(const sharding::Graph &graph, const Uses &uses, int v) {
    const sharding::Value &value = graph.values[v];
    if (value.kind == ValueKind::variable)
        return uses.by_others ? Residence::parameter : Residence::optimizer_state;
    if (value.kind == ValueKind::free || value.producer < 0)
        return Residence::input;
    if (written_in_place(graph, v))
        return Residence::in_place;
    const sharding::Operation &producer = graph.operations[value.producer];
    if (uses.by_update && producer.phase != Phase::update)
        return Residence::gradient;
    if (uses.by_backward && (producer.phase == Phase::forward || producer.phase == Phase::loss))
        return Residence::activation;
    return Residence::passing;
}

Life life_of(const sharding::Graph &graph, const Uses &uses, int v) {
    const int producer = graph.values[v].producer;
    return {producer, std::max(uses.last, producer)};
}

/// The most bytes of passing values at any operation.
void add_passing(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const sharding::Mesh &mesh,
                 const std::vector<Residence> &residence, const std::vector<Uses> &uses, Memory &memory) {
    std::vector<double> change(graph.operations.size() + 2, 0.0);
    for (int v = 0; v < static_cast<int>(graph.values.size()); ++v) {
        if (residence[v] != Residence::passing)
            continue;
        const double bytes = copies_bytes(graph.values[v], laid_out.copies[v], mesh).value;
        const Life life = life_of(graph, uses[v], v);
        change[life.first] += bytes;
        change[life.last + 1] -= bytes;
    }
    double now = 0;
    for (int o = 0; o < static_cast<int>(change.size()); ++o) {
        now += change[o];
        if (now <= memory.passing.value)
            continue;
        memory.passing = Bytes(now);
        memory.peak = o;
    }
}

/// Packing of one step: what goes in and what comes out; an all-reduce works in place.
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

std::vector<Residence> residences(const sharding::Graph &graph) {
    const std::vector<Uses> uses = uses_of_values(graph);
    std::vector<Residence> result;
    for (int v = 0; v < static_cast<int>(graph.values.size()); ++v)
        result.push_back(residence(graph, uses[v], v));
    return result;
}

std::vector<Life> lives(const sharding::Graph &graph) {
    const std::vector<Uses> uses = uses_of_values(graph);
    std::vector<Life> result;
    for (int v = 0; v < static_cast<int>(graph.values.size()); ++v)
        result.push_back(residence(graph, uses[v], v) == Residence::passing
                             ? life_of(graph, uses[v], v)
                             : Life{-1, static_cast<int>(graph.operations.size())});
    return result;
}

Bytes copies_bytes(const sharding::Value &value, const std::vector<sharding::Copy> &copies,
                   const sharding::Mesh &mesh) {
    double elements = 0;
    for (const sharding::Copy &copy : copies) {
        const bool in_place = copy.steps.size() == 1 && copy.steps[0].kind == CollectiveKind::all_reduce;
        if (!in_place)
            elements += static_cast<double>(planrt::largest_volume(copy.placement, mesh));
    }
    return Bytes(elements * value.element_bytes);
}

Memory memory(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const sharding::Mesh &mesh,
              const std::vector<sharding::Bucket> &buckets) {
    const std::vector<Uses> uses = uses_of_values(graph);
    std::vector<Residence> residence_of;
    Memory memory;
    double packed = 0;
    for (int v = 0; v < static_cast<int>(graph.values.size()); ++v) {
        const sharding::Value &value = graph.values[v];
        residence_of.push_back(residence(graph, uses[v], v));
        const Bytes bytes = copies_bytes(value, laid_out.copies[v], mesh);
        switch (residence_of.back()) {
        case Residence::parameter:
            memory.parameters += bytes;
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
        case Residence::passing:
            break;
        }
        for (const sharding::Copy &copy : laid_out.copies[v])
            for (const sharding::Step &step : copy.steps)
                packed = std::max(packed, packing(step, value.element_bytes, mesh));
    }
    add_passing(graph, laid_out, mesh, residence_of, uses, memory);
    memory.buffers = Bytes(packed);
    for (const sharding::Bucket &bucket : buckets)
        memory.buffers += Bytes(2 * static_cast<double>(bucket.bytes)); // what goes in and what comes out
    return memory;
}

} // namespace planc::cost
