#include "cost/kernels/work.h"

#include "cost/key.h"
#include "sharding/rewriting.h"

#include <cmath>

namespace planc::cost {

using sharding::OperationId;
using sharding::Part;
using sharding::PerOperation;
using sharding::SharedWork;
using sharding::Work;

namespace {

/// Up to a power of the fourth root of 2, so that most alike layers stay alike; up, so that no step takes longer than
/// its price.
Bytes rounded(Bytes distance) {
    constexpr double is_rounded = 1e-9;
    return distance.value > 0 ? Bytes(std::exp2(std::ceil(4 * std::log2(distance.value) - is_rounded) / 4)) : distance;
}

std::optional<Bytes> on_machine(const std::optional<Bytes> &distance, const Machine &machine) {
    return machine.kernels.cache && distance ? std::optional(rounded(*distance)) : std::nullopt;
}

void put(Key &key, const std::vector<std::vector<int>> &tensors) {
    key.put(tensors.size());
    for (const std::vector<int> &loops : tensors)
        key.put_all(loops);
}

void put(Key &key, const std::vector<Part::Tensor> &tensors) {
    key.put(tensors.size());
    for (const Part::Tensor &tensor : tensors) {
        key.put(tensor.element_bytes);
        key.put(tensor.in_memory);
        key.put(tensor.reuse ? std::llround(tensor.reuse->value) : -1);
    }
}

void put(Key &key, const Part &part) {
    key.put(part.kernel);
    key.put(part.flops_per_point);
    key.put_all(part.loops);
    for (std::size_t loop = 0; loop < part.loops.size(); ++loop)
        key.put(part.nest.loops[loop].extent);
    put(key, part.nest.operands);
    put(key, part.nest.results);
    put(key, part.operands);
    put(key, part.results);
    for (const bool each : {part.own_rows, part.weight_format})
        key.put(each);
    key.put(part.nest.sparse.has_value());
    if (const auto &sparse = part.nest.sparse) {
        key.put(sparse->outer);
        key.put(sparse->inner);
        key.put(sparse->density);
        key.put(sparse->matrix);
    }
    key.put(part.nest.windows.size());
    for (const sharding::NestWindow &window : part.nest.windows) {
        for (const int each : {window.operand, window.dimension, window.kernel_loop, window.transposed ? 1 : 0})
            key.put(each);
        for (const std::int64_t each : {window.extent, window.stride, window.dilation, window.padding})
            key.put(each);
    }
}

} // namespace

PerOperation<SharedWork> work_of_operations(const sharding::Graph &graph, const Machine &machine) {
    PerOperation<SharedWork> work = graph.work;
    if (work.empty()) {
        for (const sharding::Operation &operation : graph.operations)
            work.push_back(sharding::alone(graph, operation));
    }
    for (SharedWork &each : work)
        for (std::size_t p = 0; p < each->parts.size(); ++p)
            for (std::size_t i = 0; i < each->parts[p].operands.size(); ++i) {
                const std::optional<Bytes> known = each->parts[p].operands[i].reuse;
                if (const std::optional<Bytes> wanted = on_machine(known, machine); wanted != known)
                    each.own().parts[p].operands[i].reuse = wanted;
            }
    return work;
}

std::string text(const Work &work) {
    Key key;
    for (const auto *parts : {&work.parts, &work.without_product, &work.cuts}) {
        key.put(parts->size());
        for (const Part &part : *parts)
            put(key, part);
    }
    return key.take();
}

} // namespace planc::cost
