#include "plan/pipeline/positions.h"

#include "pipeline/makers.h"
#include "plan/pipeline/changing_weights.h"
#include "plan/pipeline/price_pipeline.h"

#include <algorithm>

namespace planc::plan {

bool is_uneven(const MeshRequest &mesh) {
    return std::ranges::any_of(mesh.axes, [](const MeshAxis &axis) { return !axis.sizes.empty(); });
}

Mesh uneven_mesh(const MeshRequest &mesh, const std::string &stages) {
    const auto along = std::ranges::find(mesh.axes, stages, &MeshAxis::name);
    std::vector<std::vector<int>> sizes_at(static_cast<std::size_t>(along->size));
    for (std::size_t position = 0; position < sizes_at.size(); ++position)
        for (const MeshAxis &axis : mesh.axes)
            sizes_at[position].push_back(axis.name == stages  ? 1
                                         : axis.sizes.empty() ? std::max(axis.size, 1)
                                                              : axis.sizes[position]);
    return planrt::uneven_mesh(static_cast<int>(along - mesh.axes.begin()), std::move(sizes_at));
}

Request at_position(const Request &request, const Depth &depth, int position) {
    Request inner = with_depth(request, {depth.axis, 1});
    inner.ranks = 1;
    for (MeshAxis &axis : inner.mesh.axes) {
        if (!axis.sizes.empty())
            axis = {axis.name, axis.sizes[static_cast<std::size_t>(position)]};
        inner.ranks *= axis.size;
    }
    return inner;
}

std::vector<int> positions_of_stages(const std::string &schedule, int ranks, int chunks, int microbatches) {
    const bool in_order = schedule.empty() || changes_weights(schedule);
    const pipeline::Schedule made = pipeline::made_by(in_order ? "one_f_one_b" : schedule, ranks, chunks, microbatches);
    std::vector<int> positions;
    for (int stage = 0; stage < made.stages; ++stage)
        positions.push_back(made.rank_of_part(stage));
    return positions;
}

std::vector<int> positions_of_stages(const Plan &plan) {
    return positions_of_stages(plan.pipeline->schedule, ranks_of_pipeline(plan), plan.pipeline->chunks,
                               plan.cost->microbatches);
}

Mesh mesh_of_layer(const Plan &plan, LayerId layer) {
    if (!plan.pipeline)
        return plan.mesh;
    const auto axis = static_cast<int>(std::ranges::find(plan.axes, plan.pipeline->axis) - plan.axes.begin());
    const int stage = plan.pipeline->stages.of[layer];
    const bool everywhere = stage == sharding::LayerStages::everywhere;
    return plan.mesh.at(axis, everywhere ? 0 : positions_of_stages(plan)[static_cast<std::size_t>(stage)]);
}

} // namespace planc::plan
