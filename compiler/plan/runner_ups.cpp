#include "plan/changes.h"
#include "plan/search.h"

namespace planc::plan {

std::vector<std::optional<RunnerUp>> runner_ups(const Objective &objective, const Space &space,
                                                const std::vector<int> &values, double byte_limit) {
    Changes changes(objective, values);
    std::vector<std::optional<RunnerUp>> result(values.size());
    for (int layer = 0; layer < static_cast<int>(values.size()); ++layer)
        for (int value = 0; value < objective.domains[layer]; ++value) {
            if (value == values[layer])
                continue;
            const Changes::Change change = changes.to(layer, value);
            if (byte_limit > 0 && change.bytes > byte_limit)
                continue;
            if (!result[layer] || change.seconds < result[layer]->added.value)
                result[layer] = RunnerUp{(*space.options[layer])[value], Seconds(change.seconds)};
        }
    return result;
}

} // namespace planc::plan
