#include "plan/pipeline/staged_step.h"

#include "sharding/replicas.h"
#include "sharding/stage_recomputation.h"
#include "sharding/stage_sums.h"

namespace planc::plan {

StagedStep staged_step(const Graph &graph, const sharding::LayerStages &layers, const pipeline::Schedule &schedule) {
    StagedStep step{graph, {}, {}};
    if (const auto taken = sharding::taken_from_forward(step.graph, layers); !taken.empty())
        step.graph = sharding::with_taken(step.graph, taken);
    if (const auto sums = sharding::stage_sums(step.graph, layers); !sums.empty())
        step.graph = sharding::with_stage_sums(step.graph, sums);
    step.staged = sharding::staged(step.graph, layers);
    step.reach = sharding::reach_of_gradients(step.graph, step.staged, schedule.stages);
    if (const auto replicas = static_cast<int>(schedule.placement.size()); replicas > 1) {
        step.graph = sharding::with_replicas(step.graph, replicas);
        step.staged = sharding::staged(step.graph, layers);
    }
    return step;
}

} // namespace planc::plan
