#include "cost/step_price.h"

#include "cost/traffic.h"
#include "sharding/bucket.h"

namespace planc::cost {

using sharding::CollectiveKind;

namespace {

Algorithm chosen(CollectiveKind kind, const Algorithms &algorithms, Bytes n) {
    switch (kind) {
    case CollectiveKind::all_reduce:
        return algorithm_for(algorithms.allreduce, n);
    case CollectiveKind::reduce_scatter:
        return algorithm_for(algorithms.reduce_scatter, n);
    case CollectiveKind::all_gather:
        return algorithm_for(algorithms.allgather, n);
    case CollectiveKind::all_to_all:
        return algorithm_for(algorithms.alltoall, n);
    case CollectiveKind::slice:
    case CollectiveKind::exchange:
        break;
    }
    return Algorithm::pairwise;
}

StepPrice price_in(const Group &group, const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh,
                   const Machine &machine, bool in_bucket) {
    if (step.kind == CollectiveKind::slice)
        return {};
    return price_traffic(step, busiest_traffic(step, mesh), element_bytes, group, machine, in_bucket);
}

} // namespace

bool in_bucket(bool fusable, sharding::Phase phase) {
    return fusable && phase != sharding::Phase::update;
}

StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh, const Machine &machine,
                     bool in_bucket) {
    return price_in(group(step.axes, mesh.sizes, machine), step, element_bytes, mesh, machine, in_bucket);
}

StepPrice price_traffic(const sharding::Step &step, const planrt::Traffic &traffic, int element_bytes,
                        const Group &group, const Machine &machine, bool in_bucket) {
    StepPrice result;
    result.ranks = group.ranks;
    result.traffic = traffic;
    const double elements = static_cast<double>(result.traffic.elements);
    const Bytes payload(elements * element_bytes);
    result.vector_bytes = payload.value;
    const Bytes decides(in_bucket ? static_cast<double>(sharding::largest_fused_bytes) : payload.value);
    result.algorithm = chosen(step.kind, machine.algorithms, decides);
    const double additions = machine.reduction_flops_per_second;
    switch (step.kind) {
    case CollectiveKind::all_reduce:
        result.price = all_reduce(result.algorithm, group, payload, elements, additions);
        break;
    case CollectiveKind::reduce_scatter:
        result.price = reduce_scatter(result.algorithm, group, payload, elements, additions);
        break;
    case CollectiveKind::all_gather:
        result.price = all_gather(result.algorithm, group, payload);
        break;
    case CollectiveKind::all_to_all:
        result.price = all_to_all(group, payload);
        break;
    case CollectiveKind::exchange:
        result.price =
            point_to_point(group, planrt::is_windowed(step.to), static_cast<double>(result.traffic.calls), payload);
        break;
    case CollectiveKind::slice:
        break;
    }
    return result;
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

static void append(std::vector<std::int64_t> &numbers, const planrt::Placement &placement) {
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        numbers.push_back(dimension.extent);
        numbers.push_back(static_cast<std::int64_t>(dimension.axes.size()));
        numbers.insert(numbers.end(), dimension.axes.begin(), dimension.axes.end());
        if (const auto &window = dimension.window)
            for (const std::int64_t number :
                 {std::int64_t{-1}, window->positions, window->kernel, window->stride, window->dilation,
                  window->padding, std::int64_t{window->transposed}, static_cast<std::int64_t>(window->part)})
                numbers.push_back(number);
    }
    numbers.push_back(static_cast<std::int64_t>(placement.partial.size()));
    numbers.insert(numbers.end(), placement.partial.begin(), placement.partial.end());
    numbers.push_back(static_cast<std::int64_t>(placement.stored.size()));
    numbers.insert(numbers.end(), placement.stored.begin(), placement.stored.end());
}

std::vector<std::int64_t> key(const sharding::Step &step) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(step.kind),
                                      static_cast<std::int64_t>(step.from.dimensions.size()),
                                      static_cast<std::int64_t>(step.axes.size())};
    numbers.insert(numbers.end(), step.axes.begin(), step.axes.end());
    append(numbers, step.from);
    append(numbers, step.to);
    return numbers;
}

const Group &StepPrices::group_over(const std::vector<int> &axes) {
    const auto known = groups_.find(axes);
    return known != groups_.end() ? known->second
                                  : groups_.emplace(axes, group(axes, mesh_.sizes, machine_)).first->second;
}

const StepPrice &StepPrices::of(const sharding::Step &step, int element_bytes, bool in_bucket) {
    std::vector<std::int64_t> numbers = key(step);
    numbers.push_back(element_bytes);
    numbers.push_back(in_bucket ? 1 : 0);
    const auto found = known_.find(numbers);
    if (found != known_.end())
        return found->second;
    return known_
        .emplace(std::move(numbers), price_in(group_over(step.axes), step, element_bytes, mesh_, machine_, in_bucket))
        .first->second;
}

} // namespace planc::cost
