#include "plan/pipeline/staged_step.h"

#include "sharding/replicas.h"
#include "sharding/stage_recomputation.h"
#include "sharding/stage_sums.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::plan {

StagedStep staged_step(const Graph &graph, const sharding::LayerStages &layers, int replicas) {
    StagedStep step;
    const Graph *known = &graph; // copied once at most: it is large
    if (const auto taken = sharding::taken_from_forward(*known, layers); !taken.empty())
        known = &(step.graph = sharding::with_taken(*known, taken));
    if (const auto sums = sharding::stage_sums(*known, layers); !sums.empty())
        known = &(step.graph = sharding::with_stage_sums(*known, sums));
    if (known == &graph)
        step.graph = graph;
    step.staged = sharding::staged(step.graph, layers);
    step.reach = sharding::reach_of_gradients(step.graph, step.staged, layers.count);
    if (replicas > 1) {
        step.graph = sharding::with_replicas(step.graph, replicas);
        step.staged = sharding::staged(step.graph, layers);
    }
    return step;
}

namespace {

/// The body of a stage in which an operation runs: the same number, the same body.
int body_of(const sharding::Operation &operation, bool splits) {
    constexpr int forward = 0;
    constexpr int backward = 1;
    constexpr int weight_gradients = 2;
    if (operation.per_step)
        return weight_gradients + 1 + operation.level;
    switch (operation.phase) {
    case sharding::Phase::forward:
    case sharding::Phase::loss:
        return forward;
    case sharding::Phase::input_gradient:
    case sharding::Phase::recompute:
        return backward;
    case sharding::Phase::weight_gradient:
    case sharding::Phase::update:
        break;
    }
    return splits ? weight_gradients : backward;
}

using Tensors = std::vector<sharding::Part::Tensor>;

/// What an operation's parts do with its operand or result `place`.
template <class Visit>
void for_each(std::vector<sharding::Part> &parts, Tensors sharding::Part::*tensors, std::size_t place, Visit visit) {
    for (sharding::Part &part : parts)
        for (sharding::Part::Tensor &tensor : part.*tensors)
            if (tensor.of == static_cast<int>(place))
                visit(tensor);
}

void put_in_memory(sharding::Part::Tensor &tensor) {
    tensor.in_memory = true;
    tensor.reuse.reset();
}

} // namespace

void cut_into_bodies(const Graph &stage, PerOperation<sharding::SharedWork> &work, bool splits) {
    if (stage.work.empty())
        return;
    std::map<std::pair<ValueId, int>, std::vector<Tensors::value_type *>> loaded; // by value and body: its operands
    for (const OperationId o : stage.operations.ids()) {
        const sharding::Operation &operation = stage.operations[o];
        const int body = body_of(operation, splits);
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId operand = operation.operands[i];
            const OperationId producer = stage.values[operand].producer;
            if (producer ? body_of(stage.operations[producer], splits) == body : !operation.per_step)
                continue; // what is no result lies as on one rank, but for the cuts between updates
            for_each(work[o].own().parts, &sharding::Part::operands, i,
                     [&](sharding::Part::Tensor &tensor) { loaded[{operand, body}].push_back(&tensor); });
            if (producer)
                for_each(work[producer].own().parts, &sharding::Part::results, sharding::result_number(stage, operand),
                         put_in_memory);
        }
    }
    for (const auto &[value, operands] : loaded) // a loop loads a value once
        if (std::ranges::none_of(operands, [](const auto *tensor) { return tensor->in_memory; }))
            put_in_memory(*operands.front());
}

} // namespace planc::plan
