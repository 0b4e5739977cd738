#include "cost/kernels/compute.h"

#include "cost/kernels/convolutions.h"
#include "cost/kernels/kernels.h"
#include "sharding/placement.h"

#include <planrt/attention.h>
#include <planrt/needed_rows.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace planc::cost {

using sharding::Part;

Seconds roofline(Flops flops, Bytes moved, const Machine &machine) {
    return Seconds(std::max(flops.value / machine.flops_per_second, moved.value / machine.memory_bytes_per_second));
}

double intensity(double m, double n, double k, double element_bytes) {
    return 2 * m * n * k / ((m * n + m * k + n * k) * element_bytes);
}

static Seconds at_intensity(Flops flops, double flops_per_byte, const Machine &machine) {
    return Seconds(flops.value / std::min(machine.memory_bytes_per_second * flops_per_byte, machine.flops_per_second));
}

static double block_intensity(const GemmBlock &block, double element_bytes) {
    return intensity(static_cast<double>(block.m), static_cast<double>(block.n), static_cast<double>(block.k),
                     element_bytes);
}

Seconds product_seconds(double m, double n, double k, double element_bytes, const Machine &machine) {
    const double flops_per_byte =
        machine.gemm_block ? block_intensity(*machine.gemm_block, element_bytes) : intensity(m, n, k, element_bytes);
    return at_intensity(Flops(2 * m * n * k), flops_per_byte, machine);
}

std::vector<std::int64_t> local_extents(const sharding::Nest &nest, const sharding::Strategy &strategy,
                                        const sharding::Mesh &mesh) {
    std::vector<std::int64_t> extents;
    extents.reserve(nest.loops.size());
    for (const sharding::Loop &loop : nest.loops)
        extents.push_back(loop.extent);
    for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis)
        if (const int loop = strategy.loop_of_axis[axis]; loop >= 0) // rounding up commutes: the order is of no matter
            extents[loop] = (extents[loop] + mesh.sizes[axis] - 1) / mesh.sizes[axis];
    if (const auto touched = sharding::touched_rows(nest, strategy, mesh))
        extents[nest.sparse->outer] = *touched;
    return extents;
}

std::vector<int> cuts_of(int loop, const sharding::Strategy &strategy, const sharding::Mesh &mesh) {
    std::vector<int> sizes;
    for (std::size_t axis = 0; loop >= 0 && axis < strategy.loop_of_axis.size(); ++axis)
        if (strategy.loop_of_axis[axis] == loop && mesh.sizes[axis] > 1)
            sizes.push_back(mesh.sizes[axis]);
    return sizes;
}

static double points(const std::vector<int> &loops, const std::vector<std::int64_t> &extents) {
    return std::accumulate(loops.begin(), loops.end(), 1.0,
                           [&](double product, int loop) { return product * static_cast<double>(extents[loop]); });
}

/// The maximum number of elements that an operand's windows touch.
static double operand_points(const sharding::Nest &nest, std::size_t operand,
                             const std::vector<std::int64_t> &extents) {
    double product = 1;
    for (std::size_t d = 0; d < nest.operands[operand].size(); ++d) {
        const std::int64_t positions = extents[nest.operands[operand][d]];
        const sharding::NestWindow *found = nest.window(operand, d);
        if (found == nullptr) {
            product *= static_cast<double>(positions);
            continue;
        }
        planrt::Window window = sharding::window_of(*found, nest);
        window.padding = 0;
        const std::int64_t first = window.transposed ? (window.kernel - 1) * window.dilation : 0;
        product *= static_cast<double>(planrt::touched(window, {first, first + positions}, found->extent).size());
    }
    return product;
}

/// The time of a product or convolution on a machine with its measured rate.
static std::optional<Seconds> measured_seconds(const Part &part, const std::vector<std::int64_t> &extents,
                                               const Machine &machine) {
    const int element_bytes = part.results[0].element_bytes;
    if (!part.nest.windows.empty()) {
        const auto shape = convolution_shape(part.nest, extents);
        return shape ? convolution_seconds(*shape, element_bytes, machine) : std::nullopt;
    }
    if (!machine.kernels.product || part.operands.size() != 2)
        return {};
    const ProductShape shape = product_shape(part.nest, extents);
    return element_bytes / 4.0 * product_seconds(*machine.kernels.product, shape, machine, shape.count);
}

/// The products of its tiles at the rate of products, and the exponential of each score at that of loops. Of several
/// kinds in one pass each pays by its operations. None: nothing was measured.
static std::optional<Seconds> attention_seconds(const Part &part, const std::vector<std::int64_t> &extents, Flops flops,
                                                const Machine &machine) {
    const support::KernelRates &rates = machine.kernels;
    if (!rates.product || !rates.loops)
        return {};
    const std::vector<int> &queries = part.nest.operands[0];
    const std::vector<int> &keys = part.nest.operands[1];
    const std::vector<int> &values = part.nest.operands[2];
    double scores = 1;
    double features = 1;
    double of_values = 1;
    const auto has = [](const std::vector<int> &loops, int loop) {
        return std::find(loops.begin(), loops.end(), loop) != loops.end();
    };
    for (int loop = 0; loop < static_cast<int>(extents.size()); ++loop) {
        const bool of_scores = has(queries, loop) ? !has(keys, loop) || has(values, loop) : has(keys, loop);
        (of_scores ? scores : has(queries, loop) ? features : of_values) *= static_cast<double>(extents[loop]);
    }
    const bool is_gradient = part.operands.size() > 4;
    const double share =
        flops.value / (scores * (is_gradient ? 6 * features + 4 * of_values : 2 * (features + of_values)));
    constexpr double flops_of_exponential = 16; // with the maximum and the sum, or the change of the score
    const ProductShape tile{1, static_cast<double>(planrt::attention::row_block),
                            static_cast<double>(planrt::attention::key_block), features};
    const double flops_of_tile = 2 * tile.m * tile.n * tile.k;
    const Seconds product = part.results[0].element_bytes / 4.0 * product_seconds(*rates.product, tile, machine);
    return flops.value / flops_of_tile * product +
           loop_seconds(*rates.loops, Flops(share * scores * flops_of_exponential), Seconds(0));
}

namespace {

struct Transfer {
    Bytes moved{};
    Seconds seconds{};
};

} // namespace

sharding::SparseLoops busiest(const sharding::SparseLoops &loops, const std::vector<int> &row_cuts,
                              const std::vector<int> &column_cuts, const std::vector<std::int64_t> &extents) {
    sharding::SparseLoops most = loops;
    const auto elements = static_cast<double>(extents[static_cast<std::size_t>(loops.outer)] *
                                              extents[static_cast<std::size_t>(loops.inner)]);
    if (loops.matrix != 0 && elements > 0)
        most.density = static_cast<double>(planrt::most_nonzeros(loops.matrix, row_cuts, column_cuts)) / elements;
    return most;
}

Part busiest(Part part, const std::vector<int> &row_cuts, const std::vector<int> &column_cuts,
             const std::vector<std::int64_t> &extents) {
    const double average = part.nest.sparse->density;
    part.nest.sparse = busiest(*part.nest.sparse, row_cuts, column_cuts, extents);
    if (average > 0)
        part.flops_per_point *= part.nest.sparse->density / average;
    return part;
}

Bytes matrix_bytes(const sharding::SparseLoops &matrix, int element_bytes, const std::vector<std::int64_t> &extents) {
    const auto rows = static_cast<double>(extents[static_cast<std::size_t>(matrix.outer)]);
    const double nonzeros =
        matrix.density * rows * static_cast<double>(extents[static_cast<std::size_t>(matrix.inner)]);
    return Bytes(nonzeros * (sizeof(std::int32_t) + element_bytes) + rows * sizeof(std::int64_t));
}

/// What a part other than a product moves: operands from where their last use left them, results to where the farthest
/// operand is. At most this many elements of each are used.
static Transfer transfer_of(const Part &part, const std::vector<std::int64_t> &extents, const Machine &machine,
                            std::int64_t shares, double most) {
    double share = 1 / static_cast<double>(shares); // of the iterations: the others are taken to have as much
    for (std::size_t loop = 0; loop < extents.size(); ++loop)
        share *= static_cast<double>(extents[loop]) / static_cast<double>(part.nest.loops[loop].extent);
    if (part.kernel == sharding::Kernel::look_up)
        most = points(part.nest.results[0], extents);
    Transfer result;
    std::vector<Bytes> operands;
    for (std::size_t i = 0; i < part.operands.size(); ++i) {
        operands.push_back(part.operands[i].in_memory
                               ? Bytes(std::min(most, operand_points(part.nest, i, extents)) *
                                       part.operands[i].element_bytes / static_cast<double>(shares))
                               : Bytes(0));
        result.moved += operands.back();
    }
    if (part.kernel == sharding::Kernel::sparse_product) {
        const Bytes matrix =
            matrix_bytes(*part.nest.sparse, part.results[0].element_bytes, extents) * (1 / static_cast<double>(shares));
        result.moved += matrix;
        result.seconds += transfer_seconds(matrix, Bytes(0), machine);
    }
    Bytes results{};
    for (std::size_t i = 0; i < part.results.size(); ++i)
        if (part.results[i].in_memory)
            results += Bytes(points(part.nest.results[i], extents) * part.results[i].element_bytes /
                             static_cast<double>(shares));
    result.moved += results;
    Bytes farthest = result.moved;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::optional<Bytes> &reuse = part.operands[i].reuse;
        const Bytes distance = reuse ? *reuse * share : result.moved;
        if (operands[i].value > 0)
            farthest = std::max(farthest, distance);
        result.seconds += transfer_seconds(operands[i], distance, machine);
    }
    result.seconds += transfer_seconds(results, farthest, machine);
    return result;
}

Seconds part_seconds(const Part &part, const std::vector<std::int64_t> &extents, const Machine &machine,
                     std::int64_t shares) {
    double iterations = 1 / static_cast<double>(shares);
    for (std::int64_t extent : extents)
        iterations *= static_cast<double>(extent);
    // A gradient's windows are at the positions of its operand, so only this share of all pairs of a result's index and
    // one in the window touch each other.
    for (const sharding::NestWindow &window : part.nest.windows)
        if (window.transposed)
            iterations *=
                static_cast<double>(window.extent) /
                static_cast<double>(part.nest.loops[part.nest.operands[window.operand][window.dimension]].extent);
    if (iterations == 0 || (part.weight_format && price_weight_formats(machine.kernels)))
        return {};
    const Flops flops(iterations * part.flops_per_point);
    if (part.kernel == sharding::Kernel::contraction)
        if (const auto measured = measured_seconds(part, extents, machine))
            return *measured * (1 / static_cast<double>(shares));
    if (part.kernel == sharding::Kernel::contraction && machine.gemm_block)
        return at_intensity(flops, block_intensity(*machine.gemm_block, part.results[0].element_bytes), machine);
    if (part.kernel == sharding::Kernel::attention)
        if (const auto measured = attention_seconds(part, extents, flops, machine))
            return *measured;
    const Transfer transfer = transfer_of(part, extents, machine, shares, iterations * static_cast<double>(shares));
    if (const support::PoolRate *pool = pool_rate(part.nest, machine.kernels);
        part.kernel == sharding::Kernel::window && pool != nullptr && !part.nest.windows.empty())
        return pool_seconds(*pool, pool_operations(part.nest, extents), pooled_channels(part.nest, extents),
                            transfer.seconds);
    const std::optional<support::LoopRate> &rate = machine.kernels.loops;
    if (!rate || part.kernel == sharding::Kernel::contraction || part.kernel == sharding::Kernel::attention)
        return roofline(flops, transfer.moved, machine);
    Seconds seconds = loop_seconds(*rate, flops, transfer.seconds);
    if (part.own_rows && part.kernel != sharding::Kernel::sparse_product) // its rows have tiles of their own
        seconds += rows_seconds(*rate, rows_of(part.nest, extents)) * (1 / static_cast<double>(shares));
    return transfer.moved.value > 0 ? seconds : seconds - rate->call; // a part of another one's loop
}

static bool splits_all(const sharding::Strategy &strategy, const sharding::Mesh &mesh) {
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        if (mesh.sizes[axis] > 1 && strategy.loop_of_axis[axis] < 0)
            return false;
    return true;
}

static bool splits_sum(const sharding::Strategy &strategy, const sharding::Nest &nest, const sharding::Mesh &mesh) {
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        if (const int loop = strategy.loop_of_axis[axis];
            mesh.sizes[axis] > 1 && loop >= 0 && nest.loops[loop].kind == sharding::LoopKind::reduced)
            return true;
    return false;
}

static Seconds seconds_of(const std::vector<std::int64_t> &extents, const sharding::Strategy &strategy,
                          const sharding::Operation &operation, const sharding::Work &work, const sharding::Mesh &mesh,
                          const Machine &machine) {
    Seconds sum{};
    std::vector<std::int64_t> own;
    const auto add = [&](const std::vector<Part> &parts) {
        for (const Part &part : parts) {
            own.clear();
            for (std::size_t loop = 0; loop < part.loops.size(); ++loop)
                own.push_back(part.loops[loop] < 0 ? part.nest.loops[loop].extent
                                                   : extents[static_cast<std::size_t>(part.loops[loop])]);
            const auto cuts = [&](int loop) {
                return cuts_of(part.loops[static_cast<std::size_t>(loop)], strategy, mesh);
            };
            const std::int64_t shares = sharding::group_size(strategy.stored, mesh);
            if (const auto &sparse = part.nest.sparse; sparse && sparse->matrix != 0)
                sum += part_seconds(busiest(part, cuts(sparse->outer), cuts(sparse->inner), own), own, machine, shares);
            else
                sum += part_seconds(part, own, machine, shares);
        }
    };
    add(work.parts);
    const bool comes_summed = operation.accumulates ? sharding::group_size(strategy.stored, mesh) > 1 // as its share
                                                    : !splits_all(strategy, mesh);
    if (!work.without_product.empty() && comes_summed)
        add(work.without_product);
    if (!work.cuts.empty() && splits_sum(strategy, operation.nest, mesh))
        add(work.cuts);
    return sum;
}

Seconds seconds_under(const sharding::Strategy &strategy, const sharding::Operation &operation,
                      const sharding::Work &work, const sharding::Mesh &mesh, const Machine &machine) {
    return seconds_of(local_extents(operation.nest, strategy, mesh), strategy, operation, work, mesh, machine);
}

Seconds least_seconds(const sharding::Operation &operation, const sharding::Work &work, const Machine &machine) {
    const sharding::Mesh one{{1}};
    const sharding::Strategy whole{{-1}, {0}, {}};
    std::vector<std::int64_t> extents = local_extents(operation.nest, whole, one);
    if (const auto &sparse = operation.nest.sparse; sparse && sparse->lists_rows && sparse->matrix != 0)
        extents[sparse->outer] = planrt::most_needed_rows(-sparse->matrix, {}, {});
    return seconds_of(extents, whole, operation, work, one, machine);
}

} // namespace planc::cost
