#include "cost/kernels/kernels.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

bool has(const std::vector<int> &loops, int loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

ProductShape product_shape(const sharding::Nest &nest, const std::vector<std::int64_t> &extents) {
    ProductShape shape;
    for (int loop = 0; loop < static_cast<int>(extents.size()); ++loop) {
        const bool a = has(nest.operands[0], loop);
        const bool b = has(nest.operands[1], loop);
        const bool c = has(nest.results[0], loop);
        double &size = a && c && !b ? shape.m : b && c && !a ? shape.n : a && b && !c ? shape.k : shape.count;
        size *= static_cast<double>(extents[static_cast<std::size_t>(loop)]);
    }
    return shape;
}

Seconds direct_seconds(const support::ProductRate &rate, const ProductShape &shape, const Machine &machine) {
    const double lanes = machine.kernels.wide_vectors ? 16 : 8;
    const double columns = std::ceil(shape.n / lanes) * lanes;
    const double padded = (shape.m + rate.half[0]) * (columns + rate.half[1]) * (shape.k + rate.half[2]);
    return shape.count * (rate.call + Seconds(2 * padded / rate.flops_per_second));
}

Seconds product_seconds(const support::ProductRate &rate, const ProductShape &shape, const Machine &machine,
                        double together) {
    const double result = shape.m * shape.n; // fetched, too, before it is written
    const Bytes operands(sizeof(float) * (shape.m * shape.k + shape.k * shape.n + result));
    return direct_seconds(rate, shape, machine) +
           shape.count * transfer_seconds(operands + Bytes(sizeof(float) * result), together * operands, machine);
}

Seconds transfer_seconds(Bytes moved, Bytes working_set, const Machine &machine) {
    const std::optional<support::CacheRate> &cache = machine.kernels.cache;
    if (!cache || working_set.value <= 0)
        return Seconds(moved.value / machine.memory_bytes_per_second);
    const double cached = std::min(1.0, cache->bytes / working_set.value);
    return Seconds(moved.value * (cached / cache->bytes_per_second + (1 - cached) / machine.memory_bytes_per_second));
}

Seconds pool_seconds(const support::PoolRate &rate, double operations, double channels, Seconds transfer) {
    return rate.call + Seconds(operations / channels * (channels + rate.half) / rate.flops_per_second) + transfer;
}

const support::PoolRate *pool_rate(const sharding::Nest &nest, const support::KernelRates &rates) {
    bool gradient = false;
    bool tiled = true;
    for (const sharding::NestWindow &window : nest.windows) {
        const auto loop = static_cast<std::size_t>(window.kernel_loop);
        gradient = gradient || window.transposed;
        tiled = tiled && nest.loops[loop].extent == window.stride && window.dilation == 1 && window.padding == 0;
    }
    const std::optional<support::PoolRate> &rate = !gradient ? rates.pool
                                                   : tiled   ? rates.tiled_pool_gradient
                                                             : rates.pool_gradient;
    return rate ? &*rate : nullptr;
}

Rows rows_of(const sharding::Nest &nest, const std::vector<std::int64_t> &extents) {
    std::vector<const std::vector<int> *> tensors;
    const std::vector<int> *largest = nullptr;
    for (const auto *side : {&nest.operands, &nest.results})
        for (const std::vector<int> &loops : *side) {
            tensors.push_back(&loops);
            if (largest == nullptr || loops.size() > largest->size())
                largest = &loops;
        }
    if (largest == nullptr || largest->empty())
        return {};
    const auto as_the_last = [&](int loop) {
        return std::ranges::all_of(
            tensors, [&](const std::vector<int> *loops) { return has(*loops, loop) == has(*loops, largest->back()); });
    };
    Rows rows{1, 1};
    bool broken = false;
    for (std::size_t d = largest->size(); d-- > 0;) {
        broken = broken || !as_the_last((*largest)[d]);
        const std::int64_t extent = extents[static_cast<std::size_t>((*largest)[d])];
        if (broken)
            rows.count *= static_cast<double>(extent);
        else
            rows.elements *= extent;
    }
    if (!broken)
        return {};
    rows.summed = std::ranges::any_of(nest.results, [&](const std::vector<int> &result) {
        return result.size() < largest->size() && has(result, largest->back());
    });
    return rows;
}

bool has_rows(const sharding::Nest &nest) {
    std::vector<std::int64_t> extents;
    for (const sharding::Loop &loop : nest.loops)
        extents.push_back(loop.extent);
    const Rows rows = rows_of(nest, extents);
    return rows.count > 0 && !rows.summed;
}

Seconds rows_seconds(const support::LoopRate &rate, const Rows &rows) {
    constexpr std::int64_t vector = 8; // as compilers choose for loops, AVX-512 or not
    return rows.count * static_cast<double>(rows.elements % vector) * (rows.summed ? rate.summed_rest : rate.rest);
}

double pool_operations(const sharding::Nest &nest, const std::vector<std::int64_t> &extents) {
    double operations = 1;
    for (std::int64_t extent : extents)
        operations *= static_cast<double>(extent);
    std::vector<int> counted;
    for (const sharding::NestWindow &window : nest.windows) {
        if (!window.transposed || has(counted, window.kernel_loop))
            continue;
        counted.push_back(window.kernel_loop);
        const int positions =
            nest.operands[static_cast<std::size_t>(window.operand)][static_cast<std::size_t>(window.dimension)];
        operations *= static_cast<double>(window.extent) /
                      static_cast<double>(nest.loops[static_cast<std::size_t>(positions)].extent);
    }
    return operations;
}

double pooled_channels(const sharding::Nest &nest, const std::vector<std::int64_t> &extents) {
    const auto operand = static_cast<std::size_t>(nest.windows[0].operand);
    int last = 0;
    for (const sharding::NestWindow &window : nest.windows)
        last = std::max(last, window.dimension);
    double channels = 1;
    const std::vector<int> &loops = nest.operands[operand];
    for (std::size_t d = static_cast<std::size_t>(last) + 1; d < loops.size(); ++d)
        channels *= static_cast<double>(extents[static_cast<std::size_t>(loops[d])]);
    return std::max(channels, 1.0);
}

Seconds loop_seconds(const support::LoopRate &rate, Flops flops, Seconds transfer) {
    return rate.call + std::max(Seconds(flops.value / rate.flops_per_second), transfer);
}

} // namespace planc::cost
