#include "plan/pipeline/stage_layouts.h"

#include "plan/larger_micro_batches.h"

#include <algorithm>
#include <utility>

namespace planc::plan {

namespace {

/// The stages of the layers of another graph, by their names.
sharding::LayerStages stages_by_name(const Graph &other, const Graph &graph, const sharding::LayerStages &stages) {
    sharding::LayerStages result{stages.count, {}};
    for (const sharding::Layer &layer : other.layers) {
        const auto ids = graph.layers.ids();
        const auto same =
            std::find_if(ids.begin(), ids.end(), [&](LayerId each) { return graph.layers[each].name == layer.name; });
        result.of.push_back(same == ids.end() ? sharding::LayerStages::everywhere : stages.of[*same]);
    }
    return result;
}

} // namespace

StageLayouts::OnMesh::OnMesh(const Mesh &whole, int of_pipeline, const Machine &machine)
    : mesh(whole), axis(of_pipeline), sends(mesh, machine) {
    for (int role = 0; role < mesh.sizes[static_cast<std::size_t>(axis)]; ++role)
        ranks.emplace_back(planrt::role_at(mesh, axis, role), mesh, machine);
}

void StageLayouts::lay_out(const Plan &plan, const pipeline::Schedule &schedule) {
    const auto axis = static_cast<int>(std::ranges::find(plan.axes, plan.pipeline->axis) - plan.axes.begin());
    if (!on_mesh_ || on_mesh_->mesh != plan.mesh || on_mesh_->axis != axis) {
        splits_.reset();
        on_mesh_.emplace(plan.mesh, axis, request_.machine);
    }
    cut(plan.pipeline->stages, static_cast<int>(schedule.placement.size()));
    std::vector<int> roles;
    for (int part = 0; part < schedule.parts(); ++part)
        roles.push_back(plan.mesh.is_even() ? 0 : schedule.rank_of_part(part));
    lay_out(plan, roles);
}

void StageLayouts::cut(const sharding::LayerStages &stages, int replicas) {
    if (replicas == replicas_ && stages.count == stages_.count && stages.of == stages_.of)
        return;
    splits_.reset();
    parts_.clear();
    stages_ = stages;
    replicas_ = replicas;
    step_ = staged_step(request_.graph, stages, replicas);
    for (int part = 0; part < stages.count * replicas; ++part)
        parts_.push_back({sharding::stage_graph(step_.graph, step_.staged, part), {}, {}, {}});
    if (request_.larger)
        larger_step_ = staged_step(request_.larger->graph,
                                   stages_by_name(request_.larger->graph, request_.graph, stages), replicas);
}

void StageLayouts::lay_out(const Plan &plan, const std::vector<int> &roles) {
    Splits splits{plan.layers, plan.storage, roles};
    if (splits == splits_)
        return;
    for (std::size_t number = 0; number < parts_.size(); ++number) {
        StageLayout &part = parts_[number];
        const Mesh &mesh = ranks(roles[number]).mesh;
        KnownPrices &prices = known(roles[number]);
        part.laid_out =
            sharding::lay_out(sharding::GraphIndex(part.stage.graph), mesh, plan.layers, plan.storage, prices.reshards);
        if (!request_.larger)
            continue;
        part.larger = sharding::stage_graph(larger_step_.graph, larger_step_.staged, static_cast<int>(number));
        LaidOutGraph laid_out = lay_out_larger(std::move(part.larger.graph), part.stage.graph, part.laid_out, mesh,
                                               plan.layers, plan.storage, prices);
        part.larger.graph = std::move(laid_out.graph);
        part.larger_laid_out = std::move(laid_out.laid_out);
    }
    splits_ = std::move(splits);
}

} // namespace planc::plan
