#include "plan/pipeline/stage_splits.h"

#include "plan/numbers.h"
#include "plan/pipeline/positions.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/search/search_meshes.h"

namespace planc::plan {

namespace {

std::vector<std::string> names(const Plan &plan, const std::vector<int> &axes) {
    std::vector<std::string> names;
    for (const int axis : axes)
        names.push_back(plan.axes[static_cast<std::size_t>(axis)]);
    return names;
}

/// The ranks of a stage; in an even mesh all ranks, since nothing is split along the pipeline's axis.
void set_ranks(Request &of_stage, const Plan &plan, int position) {
    const Mesh mesh = plan.mesh.is_even() ? plan.mesh : plan.mesh.at(plan.mesh.uneven_along, position);
    of_stage.ranks = mesh.ranks();
    of_stage.mesh.axes.clear();
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
        of_stage.mesh.axes.push_back({plan.axes[axis], mesh.sizes[axis]});
}

/// Everything but the graph and the ranks.
Request request_of_stages(const Request &request, const Plan &plan, const Storage &storage) {
    Request of_stages;
    of_stages.machine = request.machine;
    of_stages.pins = request.pins;
    of_stages.pipeline.emplace().axis = plan.pipeline->axis;
    of_stages.memory_limit_bytes = memory_limit(request);
    of_stages.baselines = false;
    of_stages.runner_ups = false;
    of_stages.batch = request.batch;
    of_stages.effort = request.effort;
    of_stages.storage.parameters = names(plan, storage.parameters);
    of_stages.storage.gradients = names(plan, storage.gradients);
    of_stages.storage.optimizer = names(plan, storage.optimizer);
    return of_stages;
}

} // namespace

void Splits::set_layers(Plan &other) const {
    if (layers_at.empty())
        return;
    for (const LayerId layer : other.layers.ids())
        if (const int stage = other.pipeline->stages.of[layer]; stage != sharding::LayerStages::everywhere) {
            const int position = costs.position_of[static_cast<std::size_t>(stage)];
            other.layers[layer] = layers_at[static_cast<std::size_t>(position)][layer];
        }
}

Splits splits_by_position(const Request &request, const Depth &depth) {
    Splits splits;
    int meshes = 0;
    for (int position = 0; position < depth.ranks; ++position) {
        Request inner = at_position(request, depth, position);
        inner.runner_ups = false;
        inner.baselines = false;
        inner.at_most = Request::unlimited; // these ranks do not have all layers
        Plan plan = search_meshes(inner);
        meshes += plan.meshes;
        splits.costs.at.push_back(plan.cost);
        splits.layers_at.push_back(plan.layers);
        if (position == 0 || !plan.failure.empty())
            splits.plan = std::move(plan);
        if (!splits.plan.failure.empty())
            break;
    }
    splits.plan.mesh = uneven_mesh(request.mesh, depth.axis);
    splits.plan.meshes = meshes;
    return splits;
}

void add_alternatives_by_stage(const Request &request, Plan &plan) {
    const Depth depth{plan.pipeline->axis, ranks_of_pipeline(plan)};
    if (plan.mesh.is_even())
        return add_alternatives(with_depth(request, depth), plan);
    plan.runner_ups.assign(plan.layers.size(), std::nullopt);
    plan.choices.assign(plan.layers.size(), 1);
    const std::vector<int> position_of = positions_of_stages(plan);
    for (int position = 0; position < depth.ranks; ++position) {
        Plan here = plan;
        here.mesh = plan.mesh.at(plan.mesh.uneven_along, position);
        add_alternatives(at_position(request, depth, position), here);
        for (const LayerId layer : plan.layers.ids()) {
            const int stage = plan.pipeline->stages.of[layer];
            if (stage == sharding::LayerStages::everywhere || position_of[static_cast<std::size_t>(stage)] != position)
                continue;
            plan.runner_ups[layer] = here.runner_ups[layer];
            plan.choices[layer] = here.choices[layer];
        }
    }
}

StageSplits splits_by_stage(const Request &request, const Plan &plan, const Storage &storage, double share) {
    Request of_stage = request_of_stages(request, plan, storage);
    const sharding::LayerStages &stages = plan.pipeline->stages;
    const sharding::StagedGraph staged = sharding::staged(request.graph, stages);
    const std::vector<int> positions = positions_of_stages(plan);
    StageSplits all{plan.layers};
    for (int stage = 0; stage < stages.count; ++stage) {
        set_ranks(of_stage, plan, positions[static_cast<std::size_t>(stage)]);
        of_stage.graph = sharding::stage_graph(request.graph, staged, stage).graph;
        of_stage.graph.slots = plan.cost->pipeline->stages[static_cast<std::size_t>(stage)].micro_batches;
        of_stage.share = std::max(share - all.share, least_share);
        const Plan splits = search_meshes(of_stage);
        all.share += splits.share;
        if (!splits.failure.empty())
            return {std::nullopt, all.share};
        for (const LayerId layer : all.layers->ids())
            if (stages.of[layer] == stage)
                (*all.layers)[layer] = splits.layers[layer];
    }
    return all;
}

} // namespace planc::plan
