#include "plan/pipeline/changing_weights.h"

#include "pipeline/makers.h"
#include "sharding/stages.h"

#include <algorithm>
#include <stdexcept>

namespace planc::plan {

bool changes_weights(const std::string &schedule) {
    return pipeline::updates_of(schedule).weights != pipeline::Weights::synchronous;
}

std::string fault_of_changes(const Request &request, int ranks, const sharding::LayerStages &stages) {
    const PipelineRequest &wanted = *request.pipeline;
    if (!changes_weights(wanted.schedule))
        return {};
    try {
        static_cast<void>(pipeline::made_by(wanted.schedule, ranks, wanted.chunks, request.graph.microbatches));
    } catch (const std::invalid_argument &impossible) {
        return impossible.what();
    }
    const PerValue<std::vector<int>> users = sharding::stages_of_variables(request.graph, stages);
    for (const ValueId v : users.ids()) {
        const sharding::Value &value = request.graph.values[v];
        if (value.kind != sharding::ValueKind::variable || users[v].size() < 2)
            continue;
        return "each stage updates its weights on its own within the step, but '" + value.name + "' is on stages " +
               std::to_string(users[v].front()) + " and " + std::to_string(users[v].back());
    }
    const sharding::StagedGraph staged = sharding::staged(request.graph, stages);
    for (const std::vector<int> &levels : staged.levels)
        if (std::any_of(levels.begin(), levels.end(), [](int level) { return level > 0; }))
            return "each stage updates its weights on its own within the step, but an update needs the gradients of "
                   "other stages";
    return {};
}

} // namespace planc::plan
