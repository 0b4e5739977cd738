#include "plan/space/ranks_at_work.h"

#include "cost/reports/report.h"

#include <algorithm>

namespace planc::plan {

namespace {

/// Blocks are balanced: where a loop is cut into more parts than it has iterations, each of these is a part.
RanksAtWork at_work(const sharding::Operation &operation, const Mesh &mesh, const LayerStrategy &strategy) {
    RanksAtWork result;
    result.layer = operation.layer;
    for (const sharding::Loop &loop : operation.nest.loops) {
        std::int64_t parts = 1;
        for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
            if (strategy.loop_of_axis[axis] == loop.name)
                parts *= mesh.sizes[axis];
        parts = std::min(parts, loop.extent);
        result.ranks *= parts;
        if (parts > 1)
            result.parts.emplace_back(loop.name, parts);
    }
    return result;
}

/// The ranks of the stage that has most; all ranks without a pipeline.
Mesh largest_stage(const Plan &plan) {
    if (!plan.pipeline)
        return plan.mesh;
    const auto axis = static_cast<int>(std::ranges::find(plan.axes, plan.pipeline->axis) - plan.axes.begin());
    Mesh largest = plan.mesh.at(axis, 0);
    for (int position = 1; position < plan.mesh.sizes[axis]; ++position)
        if (Mesh other = plan.mesh.at(axis, position); other.ranks() > largest.ranks())
            largest = std::move(other);
    return largest;
}

} // namespace

RanksAtWork ranks_at_work(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers) {
    RanksAtWork most;
    for (const sharding::Operation &operation : graph.operations) {
        if (operation.parameter) // follows what it updates
            continue;
        RanksAtWork here = at_work(operation, mesh, layers[operation.layer]);
        if (here.ranks > most.ranks)
            most = std::move(here);
    }
    return most;
}

std::string warning_of_idle_ranks(const Graph &graph, const Plan &plan) {
    const Mesh mesh = largest_stage(plan);
    const std::int64_t ranks = mesh.ranks();
    const RanksAtWork most = ranks_at_work(graph, mesh, plan.layers);
    if (2 * most.ranks > ranks || ranks == 1)
        return {};
    const std::string all = cost::grouped(ranks);
    if (!most.layer)
        return "splits no layer: all " + all + " ranks compute the same";
    std::string parts;
    for (const auto &[loop, count] : most.parts)
        parts += (parts.empty() ? "" : ", ") + loop + " in " + cost::grouped(static_cast<double>(count)) +
                 (parts.empty() ? " parts" : "");
    return "has work for " + cost::grouped(static_cast<double>(most.ranks)) + " of " + all + " ranks at most (layer '" +
           graph.layers[most.layer].name + "': " + parts +
           "); the others have nothing to do, or compute what others compute too";
}

} // namespace planc::plan
