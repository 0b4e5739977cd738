#include "plan/space/storage.h"

#include <algorithm>

namespace planc::plan {

namespace {

std::vector<int> axes_of(const StoragePin &pin, const MeshShape &shape) {
    std::vector<int> axes;
    for (const std::string &name : pin.value_or(std::vector<std::string>{}))
        if (const auto at = std::find(shape.axes.begin(), shape.axes.end(), name); at != shape.axes.end())
            axes.push_back(static_cast<int>(at - shape.axes.begin()));
    return axes;
}

/// Whether there is a parameter that only its update reads. If it is sharded, it need not be gathered at all.
bool has_unread_parameter(const Graph &graph) {
    PerValue<bool> read(graph.values.size());
    for (const sharding::Operation &operation : graph.operations)
        for (const ValueId value : operation.operands)
            read[value] = read[value] || !operation.parameter;
    return std::any_of(graph.operations.begin(), graph.operations.end(), [&read](const sharding::Operation &operation) {
        return operation.parameter && !read[operation.parameter];
    });
}

bool accumulates(const Graph &graph) {
    return std::ranges::any_of(graph.operations, &sharding::Operation::accumulates);
}

} // namespace

std::vector<StorageChoice> storage_choices(const Request &request, const MeshShape &shape) {
    const StorageRules &rules = request.storage;
    const StoragePin &gradients = rules.gradients ? rules.gradients : rules.parameters;
    const StoragePin &optimizer = rules.optimizer ? rules.optimizer : gradients;
    if (!request.search || optimizer)
        return {{{axes_of(rules.parameters, shape), axes_of(gradients, shape), axes_of(optimizer, shape)}, false}};

    std::vector<int> all;
    for (int axis = 0; axis < static_cast<int>(shape.axes.size()); ++axis)
        if (shape.mesh.sizes[axis] > 1 && !has_stages(request, shape.axes[axis]))
            all.push_back(axis);
    if (all.empty())
        return {{{}, false}};
    std::vector<StorageChoice> choices = {{{}, false}, {{{}, {}, all}, false}};
    if (request.graph.microbatches > 1)
        choices.push_back({{{}, all, all}, false});
    choices.push_back({{all, all, all}, !accumulates(request.graph) && !has_unread_parameter(request.graph)});
    return choices;
}

} // namespace planc::plan
