#include "cost/collectives/step_price.h"

#include "cost/collectives/unit_flows.h"
#include "sharding/bucket.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace planc::cost {

using sharding::CollectiveKind;

namespace {

const AlgorithmTable &table_of(CollectiveKind kind, const Algorithms &algorithms) {
    switch (kind) {
    case CollectiveKind::all_reduce:
        return algorithms.allreduce;
    case CollectiveKind::reduce_scatter:
        return algorithms.reduce_scatter;
    case CollectiveKind::all_gather:
        return algorithms.allgather;
    case CollectiveKind::all_to_all:
    case CollectiveKind::slice:
    case CollectiveKind::exchange:
        break;
    }
    return algorithms.alltoall;
}

const char *machine_word(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::all_reduce:
        return "allreduce";
    case CollectiveKind::reduce_scatter:
        return "reduce_scatter";
    case CollectiveKind::all_gather:
        return "allgather";
    case CollectiveKind::all_to_all:
        return "alltoall";
    case CollectiveKind::exchange:
        return "exchange";
    case CollectiveKind::slice:
        break;
    }
    return "";
}

/// Counts of MPI's calls are int.
constexpr std::int64_t most_counted = std::numeric_limits<int>::max();

/// The messages are still those of the algorithm; their time is what was measured.
void take_measured(const support::CollectiveRate &rate, Bytes payload, double calls, Price &price) {
    price.latency = calls * rate.latency;
    price.transfer = Seconds(payload.value / rate.bytes_per_second);
    price.arithmetic = Seconds(0);
}

/// Needed and touched rows are on their way to all ranks at the same time. The sides of halos travel one after another,
/// beside the rows that need none; for other exchanges a latency for each message is an upper limit.
double latencies(const Flow &flow, const sharding::Step &step) {
    const bool needed_rows = planrt::is_windowed(step.to) && !planrt::has_halos(step.to);
    if (needed_rows || planrt::has_addends(step.from))
        return flow.sent.calls > 0 || flow.received > 0 ? 1 : 0;
    return static_cast<double>(flow.sent.calls);
}

/// The elements of the rank's slower direction. What one side of a halo brings arrives while the other side's is sent.
std::int64_t elements_of(const Flow &flow, const planrt::Placement &to) {
    return planrt::has_halos(to) ? flow.sent.elements : std::max(flow.sent.elements, flow.received);
}

/// The price of a collective of so many elements, `payload`, on its busiest rank.
Price price_by(Algorithm algorithm, const sharding::Step &step, const Group &group, double elements, Bytes payload,
               int element_bytes, const Flow &flow, const Machine &machine) {
    switch (step.kind) {
    case CollectiveKind::all_reduce:
        return all_reduce(algorithm, group, payload, elements, machine.reduction_flops_per_second);
    case CollectiveKind::reduce_scatter:
        return reduce_scatter(algorithm, group, payload, elements, machine.reduction_flops_per_second);
    case CollectiveKind::all_gather:
        return all_gather(algorithm, group, payload);
    case CollectiveKind::all_to_all:
        return all_to_all(group, payload);
    case CollectiveKind::exchange: {
        Price price = point_to_point(group, planrt::has_halos(step.to), latencies(flow, step), payload);
        if (!flow.through.empty())
            price.transfer = seconds_through_units(flow, element_bytes, machine);
        if (planrt::has_addends(step.from) && machine.reduction_flops_per_second > 0)
            price.arithmetic = Seconds(static_cast<double>(flow.received) / machine.reduction_flops_per_second);
        return price;
    }
    case CollectiveKind::slice:
        break;
    }
    return {};
}

} // namespace

const support::CollectiveRate *measured_rate(CollectiveKind kind, const Group &group, Bytes n, const Machine &machine) {
    if (group.levels.size() > 1)
        return nullptr;
    const support::CollectiveRate *best = nullptr;
    for (const support::CollectiveRate &rate : machine.collectives) // ascending
        if (rate.collective == machine_word(kind) && rate.ranks >= group.ranks &&
            (best == nullptr || (rate.ranks == best->ranks && n.value > rate.above_bytes)))
            best = &rate;
    return group.ranks > 1 ? best : nullptr;
}

bool in_bucket(bool fusable, sharding::Phase phase) {
    return fusable && phase != sharding::Phase::update;
}

StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh, const Machine &machine,
                     bool in_bucket) {
    return StepPrices(mesh, machine).of(step, element_bytes, in_bucket);
}

// The price is that of the cheapest algorithm that the machine has for vectors of this size; of equally cheap ones, the
// first. Measured times are those of MPI's own calls. If one call of MPI cannot count the elements, the program sends
// the messages of the algorithm as which the call is priced.
StepPrice price_flow(const sharding::Step &step, const Flow &flow, int element_bytes, const Group &group,
                     const Machine &machine, bool in_bucket, const planrt::Method *sent) {
    StepPrice result;
    result.ranks = group.ranks;
    result.traffic = flow.sent;
    const auto elements = static_cast<double>(elements_of(flow, step.to));
    const Bytes payload(elements * element_bytes);
    result.vector_bytes = payload.value;
    const Bytes decides(in_bucket ? static_cast<double>(sharding::largest_fused_bytes) : payload.value);
    const double part = payload.value > 0 ? decides.value / payload.value : 1; // the sizes that are compared
    const double calls = step.kind == CollectiveKind::exchange ? static_cast<double>(flow.sent.calls) : 1;
    double least = 0;
    bool found = false;
    for (const AlgorithmRange &range : alternatives(table_of(step.kind, machine.algorithms), decides)) {
        const bool by_mpi = (range.by_mpi && flow.sent.elements <= most_counted) || !has_methods(step.kind);
        const planrt::Method made = by_mpi ? planrt::Method{} : method(range.algorithm, group);
        if (sent != nullptr && made.algorithm != sent->algorithm)
            continue;
        const support::CollectiveRate *rate = by_mpi ? measured_rate(step.kind, group, decides, machine) : nullptr;
        Price price = price_by(range.algorithm, step, group, elements, payload, element_bytes, flow, machine);
        if (rate != nullptr)
            take_measured(*rate, payload, calls, price);
        const double seconds = price.latency.value + part * (price.transfer + price.arithmetic).value;
        if (found && seconds >= least)
            continue;
        found = true;
        least = seconds;
        result.algorithm = range.algorithm;
        result.method = made;
        result.rate = rate;
        result.price = price;
    }
    return found || sent == nullptr ? result : price_flow(step, flow, element_bytes, group, machine, in_bucket);
}

bool has_methods(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
           kind == CollectiveKind::all_gather;
}

std::vector<Round> rounds(CollectiveKind kind, Algorithm algorithm, const Group &group, bool halo) {
    switch (kind) {
    case CollectiveKind::all_reduce:
        return all_reduce_rounds(algorithm, group);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
        return gather_rounds(algorithm, group);
    case CollectiveKind::all_to_all:
        return all_to_all_rounds(group);
    case CollectiveKind::exchange:
        return exchange_rounds(group, halo);
    case CollectiveKind::slice:
        break;
    }
    return {};
}

const Group &StepPrices::group_over(const std::vector<int> &axes) {
    const auto known = groups_.find(axes);
    return known != groups_.end()
               ? known->second
               : groups_.emplace(axes, group_of_any_role(axes, whole_, role_, machine_)).first->second;
}

/// The flow of the rank that sends most, and those of others that could take longer.
std::vector<Flow> StepPrices::slowest_flows(const sharding::Step &step, const Group &group) {
    if (!counts_units(step, group, mesh_, whole_, machine_)) {
        const BusiestFlows busiest = sends_.busiest(step);
        return {busiest.sender, busiest.receiver};
    }
    std::vector<Flow> flows = sends_.by_rank(step);
    count_unit_flows(flows, step, mesh_, machine_);
    const auto sent = [](const Flow &flow) { return std::pair(flow.sent.elements, flow.sent.calls); };
    const auto calls = [](const Flow &flow) { return std::pair(flow.sent.calls, flow.sent.elements); };
    const auto received = [](const Flow &flow) { return std::pair(flow.received, flow.sent.calls); };
    const auto seconds = [&](const Flow &flow) {
        return std::pair(seconds_through_units(flow, 1, machine_), flow.sent.calls);
    };
    return {*std::ranges::max_element(flows, {}, sent), *std::ranges::max_element(flows, {}, calls),
            *std::ranges::max_element(flows, {}, received), *std::ranges::max_element(flows, {}, seconds)};
}

const StepPrice &StepPrices::of(const sharding::Step &step, int element_bytes, bool in_bucket) {
    std::string text = key(step) + std::to_string(element_bytes) + (in_bucket ? "b" : "");
    const auto [known, is_new] = known_.try_emplace(std::move(text));
    StepPrice &price = known->second;
    if (!is_new)
        return price;
    if (step.kind == CollectiveKind::slice)
        return price;
    const Group &group = group_over(step.axes);
    const std::vector<Flow> slowest = slowest_flows(step, group);
    price = price_flow(step, slowest.front(), element_bytes, group, machine_, in_bucket);
    for (std::size_t i = 1; i < slowest.size(); ++i) {
        if (slowest[i] == slowest.front())
            continue;
        StepPrice other = price_flow(step, slowest[i], element_bytes, group, machine_, in_bucket);
        if (other.price.seconds() > price.price.seconds()) {
            other.traffic = price.traffic;
            price = other;
        }
    }
    return price;
}

} // namespace planc::cost
