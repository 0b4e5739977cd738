#include "cost/compute.h"

#include "cost/convolutions.h"
#include "cost/kernels.h"
#include "sharding/placement.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace planc::cost {

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
    return extents;
}

static double points(const std::vector<int> &loops, const std::vector<std::int64_t> &extents) {
    return std::accumulate(loops.begin(), loops.end(), 1.0,
                           [&](double product, int loop) { return product * static_cast<double>(extents[loop]); });
}

/// Elements that an operand's windows touch, at most.
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

static Bytes bytes_of(const sharding::Value &value) {
    double elements = 1;
    for (std::int64_t extent : value.extents)
        elements *= static_cast<double>(extent);
    return Bytes(elements * value.element_bytes);
}

/// The maximum of windows and its number, one behind the other: one kernel finds both.
static bool is_same_pass(const sharding::Operation &first, const sharding::Operation &second) {
    const auto are = [&](const char *a, const char *b) { return first.name == a && second.name == b; };
    return first.kernel == sharding::Kernel::window && second.kernel == sharding::Kernel::window &&
           (are("pool max", "pool argmax") || are("pool argmax", "pool max")) && first.operands == second.operands &&
           first.layer == second.layer && first.phase == second.phase && first.nest.windows == second.nest.windows &&
           std::ranges::equal(first.nest.loops, second.nest.loops, {}, &sharding::Loop::extent,
                              &sharding::Loop::extent);
}

/// velocity = momentum * velocity + product.
static bool is_accumulated(const sharding::Graph &graph, const sharding::Operation &operation,
                           const std::vector<int> &readers) {
    if (operation.phase != sharding::Phase::update || operation.operands.size() != 2 || operation.writes.size() != 1)
        return false;
    const auto producer = [&graph](int value) {
        const int made = graph.values[value].producer;
        return made < 0 ? nullptr : &graph.operations[made];
    };
    for (int product : {0, 1}) {
        const sharding::Operation *made = producer(operation.operands[product]);
        const sharding::Operation *scaled = producer(operation.operands[1 - product]);
        if (made != nullptr && made->kernel == sharding::Kernel::contraction && made->nest.windows.empty() &&
            readers[operation.operands[product]] == 1 && scaled != nullptr &&
            scaled->kernel == sharding::Kernel::pointwise && operation.writes[0] >= 0 &&
            std::ranges::count(scaled->operands, operation.writes[0]) == 1)
            return true;
    }
    return false;
}

std::vector<Fused> fusion(const sharding::Graph &graph) {
    const auto loops = [&graph](int o) { // what they can be fused with: equal numbers
        const sharding::Operation &operation = graph.operations[o];
        const bool fusable =
            operation.kernel == sharding::Kernel::pointwise || operation.kernel == sharding::Kernel::reduction;
        const sharding::Phase phase = operation.phase == sharding::Phase::weight_gradient
                                          ? sharding::Phase::input_gradient
                                          : operation.phase; // both read a result's gradient
        return fusable ? std::tuple(operation.layer, static_cast<int>(phase), operation.parameter)
                       : std::tuple(-1, o, -1);
    };
    const int operations = static_cast<int>(graph.operations.size());
    Bytes variables{};
    for (const sharding::Value &value : graph.values)
        if (value.kind == sharding::ValueKind::variable)
            variables += bytes_of(value);
    std::vector<bool> stays(graph.values.size(), true); // made and used in one loop
    for (int value : graph.outputs)
        stays[value] = false;
    std::vector<int> reader(graph.values.size(), -1); // first operation that loads it from memory
    std::vector<int> readers(graph.values.size());
    std::set<std::tuple<int, int, int>> with_rows;
    std::vector<Fused> result;
    for (int o = 0; o < operations; ++o) {
        const sharding::Operation &operation = graph.operations[o];
        Fused &fused = result.emplace_back();
        for (int value : operation.operands) {
            ++readers[value];
            const int producer = graph.values[value].producer;
            const bool alike = producer >= 0 && loops(producer) == loops(o);
            const bool loaded = reader[value] >= 0 && loops(reader[value]) == loops(o);
            fused.operands.push_back(alike || loaded);
            stays[value] = stays[value] && alike;
            if (!alike && !loaded)
                reader[value] = o;
        }
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            if (operation.writes[i] >= 0)
                stays[operation.results[i]] = false;
    }
    for (int o = 0; o < operations; ++o) {
        for (int value : graph.operations[o].results)
            result[o].results.push_back(stays[value]);
        result[o].same_pass = o > 0 && is_same_pass(graph.operations[o - 1], graph.operations[o]);
        result[o].accumulated = is_accumulated(graph, graph.operations[o], readers);
        if (has_rows(graph.operations[o].nest))
            result[o].own_rows = with_rows.insert(loops(o)).second;
        if (graph.operations[o].phase == sharding::Phase::update) // from one step to the next
            result[o].between = variables;
    }
    return result;
}

/// Of a product or convolution on a machine of which its rate was measured.
static std::optional<Seconds> measured_seconds(const sharding::Graph &graph, const sharding::Operation &operation,
                                               const std::vector<std::int64_t> &extents, const Machine &machine) {
    const int element_bytes = graph.values[operation.results[0]].element_bytes;
    if (!operation.nest.windows.empty()) {
        const auto shape = convolution_shape(operation.nest, extents);
        return shape ? convolution_seconds(*shape, element_bytes, machine) : std::nullopt;
    }
    if (!machine.kernels.product || operation.operands.size() != 2)
        return {};
    return element_bytes / 4.0 *
           product_seconds(*machine.kernels.product, product_shape(operation.nest, extents), machine);
}

Seconds operation_seconds(const sharding::Graph &graph, const sharding::Operation &operation,
                          const std::vector<std::int64_t> &extents, const Machine &machine, std::int64_t shares,
                          const Fused *fused) {
    double iterations = 1 / static_cast<double>(shares);
    for (std::int64_t extent : extents)
        iterations *= static_cast<double>(extent);
    // A gradient's windows are at the positions of its operand: of all pairs of a result's index and one in the window
    // so many touch one.
    for (const sharding::NestWindow &window : operation.nest.windows)
        if (window.transposed)
            iterations *= static_cast<double>(window.extent) /
                          static_cast<double>(
                              operation.nest.loops[operation.nest.operands[window.operand][window.dimension]].extent);
    if (iterations == 0)
        return {};
    const bool in_pass = fused != nullptr && fused->same_pass; // what is read and computed is there already
    const Flops flops(in_pass ? 0 : iterations * operation.flops_per_point);
    if (operation.kernel == sharding::Kernel::contraction)
        if (const auto measured = measured_seconds(graph, operation, extents, machine))
            return *measured * (1 / static_cast<double>(shares));
    if (operation.kernel == sharding::Kernel::contraction && machine.gemm_block)
        return at_intensity(
            flops, block_intensity(*machine.gemm_block, graph.values[operation.results[0]].element_bytes), machine);
    Bytes moved{};
    const bool looks_up = operation.kernel == sharding::Kernel::look_up;
    const double most =
        looks_up ? points(operation.nest.results[0], extents) : iterations * static_cast<double>(shares);
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        if (fused == nullptr || !(fused->operands[i] || in_pass))
            moved += Bytes(std::min(most, operand_points(operation.nest, i, extents)) *
                           graph.values[operation.operands[i]].element_bytes);
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        if (fused == nullptr || !fused->results[i])
            moved +=
                Bytes(points(operation.nest.results[i], extents) * graph.values[operation.results[i]].element_bytes);
    moved = moved * (1 / static_cast<double>(shares));
    if (const support::PoolRate *pool = pool_rate(operation.nest, machine.kernels);
        operation.kernel == sharding::Kernel::window && pool != nullptr && !operation.nest.windows.empty())
        return in_pass
                   ? Seconds(0)
                   : pool_seconds(*pool, pool_operations(operation.nest, extents),
                                  pooled_channels(operation.nest, extents), transfer_seconds(moved, moved, machine));
    const std::optional<support::LoopRate> &rate = machine.kernels.loops;
    if (!rate || operation.kernel == sharding::Kernel::contraction)
        return roofline(flops, moved, machine);
    const Bytes between = fused == nullptr ? moved : std::max(moved, fused->between);
    Seconds seconds = loop_seconds(*rate, flops, transfer_seconds(moved, between, machine));
    if (fused == nullptr || fused->own_rows)
        seconds += rows_seconds(*rate, rows_of(operation.nest, extents)) * (1 / static_cast<double>(shares));
    return moved.value > 0 ? seconds : seconds - rate->call; // a part of another one's loop
}

static bool splits_all(const sharding::Strategy &strategy, const sharding::Mesh &mesh) {
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        if (mesh.sizes[axis] > 1 && strategy.loop_of_axis[axis] < 0)
            return false;
    return true;
}

Seconds seconds_under(const sharding::Strategy &strategy, const sharding::Graph &graph,
                      const sharding::Operation &operation, const Fused &fused, const sharding::Mesh &mesh,
                      const Machine &machine) {
    const auto seconds = [&](const Fused &here) {
        return operation_seconds(graph, operation, local_extents(operation.nest, strategy, mesh), machine,
                                 sharding::group_size(strategy.stored, mesh), &here);
    };
    if (!fused.accumulated || !splits_all(strategy, mesh))
        return seconds(fused);
    Fused all = fused;
    all.operands.assign(all.operands.size(), true);
    all.results.assign(all.results.size(), true);
    return seconds(all);
}

} // namespace planc::cost
