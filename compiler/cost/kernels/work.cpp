#include "cost/kernels/work.h"

#include "sharding/rewriting.h"

#include <cmath>

namespace planc::cost {

using sharding::OperationId;
using sharding::Part;
using sharding::PerOperation;
using sharding::Work;

namespace {

/// Up to a power of the fourth root of 2, so that most alike layers stay alike; up, so that no step takes longer than
/// its price.
Bytes rounded(Bytes distance) {
    return distance.value > 0 ? Bytes(std::exp2(std::ceil(4 * std::log2(distance.value)) / 4)) : distance;
}

void put(std::string &text, double number) {
    text += std::to_string(std::llround(number)) + ' ';
}

void put(std::string &text, const std::vector<std::vector<int>> &tensors) {
    for (const std::vector<int> &loops : tensors) {
        for (const int loop : loops)
            put(text, loop);
        text += ',';
    }
    text += ';';
}

void put(std::string &text, const std::vector<Part::Tensor> &tensors) {
    for (const Part::Tensor &tensor : tensors) {
        put(text, tensor.element_bytes);
        text += tensor.in_memory ? 'm' : 'r';
        if (tensor.reuse)
            put(text, tensor.reuse->value);
    }
    text += ';';
}

void put(std::string &text, const Part &part) {
    text += '[' + std::to_string(static_cast<int>(part.kernel)) + ' ' + std::to_string(part.flops_per_point) + ' ';
    for (std::size_t loop = 0; loop < part.loops.size(); ++loop) {
        put(text, part.loops[loop]);
        put(text, static_cast<double>(part.nest.loops[loop].extent));
    }
    text += ';';
    put(text, part.nest.operands);
    put(text, part.nest.results);
    put(text, part.operands);
    put(text, part.results);
    for (const bool each : {part.own_rows, part.weight_format})
        text += each ? '1' : '0';
    for (const sharding::NestWindow &window : part.nest.windows) {
        for (const int each : {window.operand, window.dimension, window.kernel_loop, window.transposed ? 1 : 0})
            put(text, each);
        for (const std::int64_t each : {window.extent, window.stride, window.dilation, window.padding})
            put(text, static_cast<double>(each));
    }
    text += ']';
}

} // namespace

PerOperation<Work> work_of_operations(const sharding::Graph &graph, const Machine &machine) {
    PerOperation<Work> work = graph.work;
    if (work.empty()) {
        for (const sharding::Operation &operation : graph.operations)
            work.push_back(sharding::alone(graph, operation));
    }
    for (Work &each : work)
        for (Part &part : each.parts)
            for (Part::Tensor &operand : part.operands)
                if (!machine.kernels.cache)
                    operand.reuse.reset();
                else if (operand.reuse)
                    operand.reuse = rounded(*operand.reuse);
    return work;
}

std::string text(const Work &work) {
    std::string text;
    for (const auto *parts : {&work.parts, &work.without_product, &work.cuts}) {
        for (const Part &part : *parts)
            put(text, part);
        text += '/';
    }
    return text;
}

} // namespace planc::cost
