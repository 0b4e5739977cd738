#include "cost/step_price.h"

#include "cost/traffic.h"

namespace planc::cost {

using sharding::CollectiveKind;

StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh,
                     const Machine &machine) {
    StepPrice result;
    if (step.kind == CollectiveKind::slice)
        return result;
    const Group ranks = group(step.axes, mesh.sizes, machine);
    result.ranks = ranks.ranks;
    result.traffic = busiest_traffic(step, mesh);
    const double elements = static_cast<double>(result.traffic.elements);
    const Bytes payload(elements * element_bytes);
    result.vector_bytes = payload.value;
    switch (step.kind) {
    case CollectiveKind::all_reduce:
        result.price = all_reduce(machine.all_reduce, ranks, payload, elements, machine.reduction_flops_per_second);
        break;
    case CollectiveKind::reduce_scatter:
        result.price = reduce_scatter(ranks, payload, elements, machine.reduction_flops_per_second);
        break;
    case CollectiveKind::all_gather:
        result.price = all_gather(ranks, payload);
        break;
    case CollectiveKind::all_to_all:
        result.price = all_to_all(ranks, payload);
        break;
    case CollectiveKind::exchange:
        result.price = point_to_point(ranks.link, static_cast<double>(result.traffic.calls), payload);
        break;
    case CollectiveKind::slice:
        break;
    }
    return result;
}

static void append(std::vector<std::int64_t> &numbers, const planrt::Placement &placement) {
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        numbers.push_back(dimension.extent);
        numbers.push_back(static_cast<std::int64_t>(dimension.axes.size()));
        numbers.insert(numbers.end(), dimension.axes.begin(), dimension.axes.end());
        if (const auto &window = dimension.window)
            for (const std::int64_t number : {std::int64_t{-1}, window->positions, window->kernel, window->stride,
                                              window->dilation, window->padding, std::int64_t{window->transposed}})
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

const StepPrice &StepPrices::of(const sharding::Step &step, int element_bytes) {
    std::vector<std::int64_t> numbers = key(step);
    numbers.push_back(element_bytes);
    const auto found = known_.find(numbers);
    if (found != known_.end())
        return found->second;
    return known_.emplace(std::move(numbers), price_step(step, element_bytes, mesh_, machine_)).first->second;
}

} // namespace planc::cost
