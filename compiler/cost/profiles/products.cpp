#include "cost/profiles/products.h"

#include "cost/memory.h"

#include <algorithm>
#include <numeric>

namespace planc::cost {

using sharding::Graph;
using sharding::Nest;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerValue;
using sharding::Phase;
using sharding::ValueId;

namespace {

bool has(const std::vector<int> &loops, int loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

double elements(const sharding::Value &value) {
    return std::accumulate(value.extents.begin(), value.extents.end(), 1.0,
                           [](double product, std::int64_t extent) { return product * static_cast<double>(extent); });
}

ProductLoop kind(const Nest &nest, std::size_t weight, int loop) {
    const bool in_result = has(nest.results[0], loop);
    const bool in_weight = has(nest.operands[weight], loop);
    const bool in_input = has(nest.operands[1 - weight], loop);
    if (!in_result)
        return ProductLoop::inputs;
    if (in_weight)
        return in_input ? ProductLoop::group : ProductLoop::outputs;
    const bool windowed = std::any_of(nest.windows.begin(), nest.windows.end(), [&](const sharding::NestWindow &each) {
        return nest.operands[each.operand][each.dimension] == loop;
    });
    return windowed ? ProductLoop::window : ProductLoop::samples;
}

Product product(const Graph &graph, OperationId o) {
    const sharding::Operation &operation = graph.operations[o];
    const Nest &nest = operation.nest;
    const auto is_weight = [&graph](ValueId value) {
        return graph.values[value].kind == sharding::ValueKind::variable;
    };
    const std::size_t weight = is_weight(operation.operands[0]) ? 0 : 1;
    Product result;
    result.operation = o;
    result.layer = operation.layer;
    result.weights = is_weight(operation.operands[weight]) ? elements(graph.values[operation.operands[weight]]) : 0;
    result.inputs = elements(graph.values[operation.operands[1 - weight]]);
    result.outputs = elements(graph.values[operation.results[0]]);
    result.element_bytes = graph.values[operation.results[0]].element_bytes;
    for (int loop = 0; loop < static_cast<int>(nest.loops.size()); ++loop)
        result.loops.push_back(kind(nest, weight, loop));
    for (const sharding::NestWindow &window : nest.windows) {
        const int loop = nest.operands[window.operand][window.dimension];
        result.windows.push_back({loop, nest.loops[window.kernel_loop].extent, window.extent, nest.loops[loop].extent});
    }
    return result;
}

} // namespace

std::vector<Product> products(const Graph &graph) {
    PerLayer<bool> input_gradient(graph.layers.size(), false);
    for (const sharding::Operation &operation : graph.operations)
        if (operation.kernel == sharding::Kernel::contraction && operation.phase == Phase::input_gradient)
            input_gradient[operation.layer] = true;
    std::vector<Product> result;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        if (operation.kernel != sharding::Kernel::contraction || operation.phase != Phase::forward ||
            operation.operands.size() != 2)
            continue;
        result.push_back(product(graph, o));
        result.back().input_gradient = input_gradient[operation.layer];
    }
    return result;
}

ProductSize size(const Product &product, const std::vector<std::int64_t> &extents) {
    ProductSize size;
    for (std::size_t loop = 0; loop < extents.size(); ++loop) {
        const double extent = static_cast<double>(extents[loop]);
        switch (product.loops[loop]) {
        case ProductLoop::samples:
        case ProductLoop::window:
            size.n *= extent;
            break;
        case ProductLoop::outputs:
            size.m *= extent;
            break;
        case ProductLoop::inputs:
            size.k *= extent;
            break;
        case ProductLoop::group:
            size.count *= extent;
            break;
        }
    }
    return size;
}

PerLayer<double> parameter_elements(const Graph &graph) {
    PerLayer<double> result(graph.layers.size(), 0);
    const PerValue<Residence> kept = residences(graph);
    PerValue<bool> trained(graph.values.size(), false);
    for (const sharding::Operation &operation : graph.operations)
        if (operation.parameter)
            trained[operation.parameter] = true;
    for (const ValueId v : graph.values.ids())
        if (trained[v] && kept[v] == Residence::parameter)
            result[graph.values[v].layer] += elements(graph.values[v]);
    return result;
}

} // namespace planc::cost
