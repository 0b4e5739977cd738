#include "certificate/pipelines.h"

#include "cost/price.h"
#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/pipeline/stages.h"
#include "sharding/stage_recomputation.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace planc::certificate {

namespace {

const plan::MeshAxis *axis_of(const plan::Request &request, const std::string &name) {
    const auto &axes = request.mesh.axes;
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const auto &axis) { return axis.name == name; });
    return request.mesh.automatic || found == axes.end() ? nullptr : &*found;
}

bool has_unequal_positions(const plan::Request &request) {
    return std::any_of(request.mesh.axes.begin(), request.mesh.axes.end(),
                       [](const auto &axis) { return !axis.sizes.empty(); });
}

Mesh uneven_mesh(const plan::MeshRequest &mesh, const std::string &stages) {
    std::vector<std::vector<int>> sizes_at;
    int along = 0;
    for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis)
        if (mesh.axes[axis].name == stages) {
            along = static_cast<int>(axis);
            sizes_at.resize(static_cast<std::size_t>(mesh.axes[axis].size));
        }
    for (std::size_t position = 0; position < sizes_at.size(); ++position)
        for (const plan::MeshAxis &axis : mesh.axes)
            sizes_at[position].push_back(axis.name == stages  ? 1
                                         : axis.sizes.empty() ? std::max(axis.size, 1)
                                                              : axis.sizes[position]);
    return planrt::uneven_mesh(along, std::move(sizes_at));
}

/// Whether a rule uses the axis for something else.
bool is_taken(const plan::Request &request, const std::string &axis) {
    const auto names = [&](const plan::StoragePin &pin) {
        return pin && std::find(pin->begin(), pin->end(), axis) != pin->end();
    };
    for (const std::vector<plan::Pin> &pins : request.pins)
        for (const plan::Pin &pin : pins)
            if (names(pin.axes))
                return true;
    return names(request.storage.parameters) || names(request.storage.gradients) || names(request.storage.optimizer);
}

/// The ranks that the axis may have.
std::set<int> sizes_of(const plan::Request &request, const std::string &name) {
    const plan::MeshAxis *axis = axis_of(request, name);
    if (axis != nullptr && axis->size > 0)
        return {axis->size};
    int left = request.ranks;
    int open = 0;
    for (const plan::MeshAxis &each : request.mesh.axes) {
        left /= request.mesh.automatic ? 1 : std::max(each.size, 1);
        open += each.size == 0 ? 1 : 0;
    }
    std::set<int> sizes;
    for (int ranks = 1; ranks <= left; ++ranks)
        if (left % ranks == 0 && (request.mesh.automatic || open > 1 || ranks == left))
            sizes.insert(ranks);
    return sizes;
}

/// Whether so many ranks can share the layers, with the schedule and the cuts that are given.
bool may_have(const plan::Request &request, int ranks) {
    const plan::PipelineRequest &wanted = *request.pipeline;
    const int n = request.graph.microbatches;
    int stages = ranks * wanted.chunks;
    if (pipeline::is_table(wanted.schedule)) {
        const pipeline::Schedule table = pipeline::read_text(wanted.schedule);
        if (table.ranks != ranks || table.micro_batches != n)
            return false;
        stages = table.stages;
    }
    const bool cut = wanted.cuts.empty() || stages == static_cast<int>(wanted.cuts.size()) + 1;
    const bool filled = wanted.any_depth || (n >= 2 * stages && n <= 8 * stages);
    return cut && filled && stages <= static_cast<int>(wanted.layers.size());
}

/// Seconds of a step, by pass, as if one rank had all data in its cache: no division among ranks takes less.
struct Work {
    double forward = 0; ///< of one micro-batch
    double input_gradients = 0;
    double step = 0;
};

Work work_of(const plan::Request &request) {
    const sharding::Graph graph = sharding::with_least_recomputation(request.graph);
    cost::Machine machine = request.machine;
    if (machine.kernels.cache)
        machine.kernels.cache->bytes = std::numeric_limits<double>::infinity();
    const PerOperation<sharding::SharedWork> works = cost::work_of_operations(graph, machine);
    Work work;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        const double seconds = cost::least_seconds(operation, works[o], machine).value;
        const int often = operation.per_step ? graph.weights.updates : graph.microbatches;
        work.step += often * seconds;
        switch (operation.phase) {
        case sharding::Phase::forward:
        case sharding::Phase::loss:
            work.forward += seconds * often / graph.microbatches;
            break;
        case sharding::Phase::input_gradient:
        case sharding::Phase::recompute:
            work.input_gradients += seconds * often / graph.microbatches;
            break;
        case sharding::Phase::weight_gradient:
        case sharding::Phase::update:
            break;
        }
    }
    return work;
}

double before(double work, double most, int ranks) {
    double sum = 0;
    for (int behind = 0; behind < ranks; ++behind, work -= std::min(work, most))
        sum += behind * std::min(work, most);
    return sum;
}

/// The bound of pipelines.h, with so many ranks along the axis.
double least_step(const Work &work, const plan::Request &request, int ranks, double known) {
    if (has_unequal_positions(request)) // some stage works for as long as all ranks together would
        return work.step / request.ranks;
    const plan::PipelineRequest &wanted = *request.pipeline;
    const bool one_stage_each = !wanted.schedule.empty() && wanted.chunks == 1 && wanted.schedule != "chimera" &&
                                !pipeline::is_table(wanted.schedule);
    const double of_stage = static_cast<double>(request.ranks) / ranks;
    const double n = request.graph.microbatches;
    const double most = one_stage_each ? known / n : 0;
    const double forward = work.forward / of_stage;
    const double passing = (work.forward + work.input_gradients) / of_stage;
    return std::max({passing, (work.step / of_stage + before(forward, most, ranks)) / ranks,
                     (n * passing + before(passing, most, ranks)) / ranks});
}

/// The names of axes and sizes; whether the request can have them.
bool is_mesh_of(const plan::Plan &plan, const plan::Request &request) {
    if (request.mesh.automatic) {
        static const std::vector<std::string> names{"rows", "cols", "planes"};
        const std::vector<std::string> others(plan.axes.begin() + (plan.axes.empty() ? 0 : 1), plan.axes.end());
        if (plan.axes.empty() || plan.axes.front() != plan.pipeline->axis || others.size() >= names.size() ||
            !std::equal(others.begin(), others.end(), names.begin()))
            return false;
    } else if (plan.axes.size() != request.mesh.axes.size()) {
        return false;
    }
    if (plan.axes.size() != plan.mesh.sizes.size())
        return false;
    int ranks = 1;
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
        const plan::MeshAxis *asked = request.mesh.automatic ? nullptr : &request.mesh.axes[axis];
        const int size = plan.mesh.sizes[axis];
        if (asked != nullptr && (asked->name != plan.axes[axis] || (asked->size > 0 && asked->size != size)))
            return false;
        if (size < 1 || size > request.ranks || ranks > request.ranks)
            return false;
        ranks *= size;
    }
    return !plan.mesh.is_even() || ranks == request.ranks;
}

/// The layers lie on stages in their order, each stage has some, and the user's cuts are kept.
bool are_stages_of(const plan::Plan &plan, const plan::Request &request) {
    const plan::PipelineRequest &wanted = *request.pipeline;
    const sharding::LayerStages &stages = plan.pipeline->stages;
    std::vector<bool> staged(stages.of.size(), false);
    int before = 0;
    for (std::size_t place = 0; place < wanted.layers.size(); ++place) {
        const LayerId layer = wanted.layers[place];
        const int stage = stages.of[layer];
        const bool cut = std::find(wanted.cuts.begin(), wanted.cuts.end(), layer) != wanted.cuts.end();
        staged[layer.index()] = true;
        if (place == 0 ? stage != 0 : stage != before && stage != before + 1)
            return false;
        if (place > 0 && !wanted.cuts.empty() && cut != (stage == before + 1))
            return false;
        before = stage;
    }
    for (const LayerId layer : stages.of.ids())
        if (!staged[layer.index()] && stages.of[layer] != sharding::LayerStages::everywhere)
            return false;
    return before == stages.count - 1;
}

/// Without their bounds.
std::vector<Depth> possible_depths(const plan::Request &request) {
    const std::string &wanted = request.pipeline->axis;
    std::vector<std::string> axes;
    if (!wanted.empty())
        axes.push_back(wanted);
    else if (request.mesh.automatic)
        axes.emplace_back("stages");
    else
        for (const plan::MeshAxis &axis : request.mesh.axes)
            if (!is_taken(request, axis.name))
                axes.push_back(axis.name);
    std::vector<Depth> result;
    for (const std::string &axis : axes)
        for (const int ranks : sizes_of(request, axis))
            if (may_have(request, ranks) && (ranks > 1 || !wanted.empty()))
                result.push_back({axis, ranks});
    std::stable_sort(result.begin(), result.end(), [](const Depth &a, const Depth &b) { return a.ranks < b.ranks; });
    return result;
}

/// Where the rules leave it open, one of those that are searched.
bool is_schedule_of(const plan::PipelinePlan &plan, const plan::PipelineRequest &wanted) {
    static const std::vector<std::pair<std::string, int>> open{{"one_f_one_b", 1}, {"zero_bubble", 1}, {"gpipe", 1},
                                                               {"interleaved", 2}, {"zb_v", 2},        {"chimera", 1}};
    if (!wanted.schedule.empty())
        return plan.schedule == wanted.schedule && plan.chunks == wanted.chunks;
    return std::find(open.begin(), open.end(), std::pair(plan.schedule, plan.chunks)) != open.end();
}

} // namespace

cost::CostTable price_of(const plan::Plan &plan, const plan::Request &request) {
    return plan.pipeline ? plan::price_pipeline(request, plan)
                         : plan::evaluate(request, plan.mesh, plan.axes, plan.layers, plan.storage);
}

PipelineClaim claim_of(const plan::Request &request, const plan::PipelinePlan &pipeline) {
    return {pipeline.axis,
            pipeline.schedule,
            pipeline.chunks,
            request.pipeline->any_depth,
            {pipeline.stages.of.begin(), pipeline.stages.of.end()}};
}

plan::Plan plan_of(const Certificate &claimed, const plan::Request &request) {
    plan::Plan plan;
    plan.axes = claimed.axes;
    plan.mesh = {claimed.sizes};
    plan.storage = claimed.storage;
    for (const LayerClaim &layer : claimed.layers)
        plan.layers.push_back(layer.strategy);
    if (!claimed.pipeline)
        return plan;
    const PipelineClaim &claim = *claimed.pipeline;
    sharding::LayerStages stages{1, {}};
    for (const int stage : claim.stages) {
        stages.of.push_back(stage);
        stages.count = std::max(stages.count, stage < std::numeric_limits<int>::max() ? stage + 1 : stage);
    }
    plan.pipeline = plan::PipelinePlan{claim.axis, claim.schedule, claim.chunks, std::move(stages)};
    if (request.pipeline && has_unequal_positions(request) && claim.axis == request.pipeline->axis)
        plan.mesh = uneven_mesh(request.mesh, claim.axis);
    return plan;
}

bool wants_pipeline(const plan::Request &request) {
    return request.pipeline && request.pipeline->wanted;
}

std::vector<Depth> depths(const plan::Request &request, double known) {
    std::vector<Depth> result = possible_depths(request);
    const Work work = work_of(request);
    for (Depth &depth : result)
        depth.lower_bound = std::min(known, least_step(work, request, depth.ranks, known));
    return result;
}

std::string fault_of(const plan::Plan &plan, const plan::Request &request) {
    const plan::PipelinePlan &pipeline = *plan.pipeline;
    if (!is_mesh_of(plan, request))
        return "its mesh is not one that " + std::to_string(request.ranks) + " ranks may form";
    const auto axis = std::find(plan.axes.begin(), plan.axes.end(), pipeline.axis) - plan.axes.begin();
    const std::vector<Depth> all = possible_depths(request);
    if (std::none_of(all.begin(), all.end(), [&](const Depth &depth) {
            return depth.axis == pipeline.axis && axis < std::ssize(plan.axes) &&
                   depth.ranks == plan.mesh.sizes[static_cast<std::size_t>(axis)];
        }))
        return "no pipeline may lie along '" + pipeline.axis + "' of its mesh";
    if (!is_schedule_of(pipeline, *request.pipeline))
        return "its schedule is not one that was asked for";
    try {
        const pipeline::Schedule schedule =
            pipeline::made_by(pipeline.schedule, plan.mesh.sizes[static_cast<std::size_t>(axis)], pipeline.chunks,
                              request.graph.microbatches);
        if (schedule.stages != pipeline.stages.count)
            return "its schedule is for another number of stages";
    } catch (const std::invalid_argument &impossible) {
        return std::string("its schedule is impossible: ") + impossible.what();
    }
    if (pipeline.stages.of.size() != request.graph.layers.size() || !are_stages_of(plan, request))
        return "its layers do not lie on stages in their order, cut as the rules say";
    const std::string back = sharding::goes_back(request.graph, sharding::staged(request.graph, pipeline.stages));
    return back.empty() ? "" : "its layer " + back + ", which lies on an earlier stage";
}

Shape shape_of(const plan::Plan &plan, const plan::Request &request, LayerId layer) {
    if (plan.mesh.is_even())
        return {plan.axes, plan.mesh};
    const int stage = plan.pipeline->stages.of[layer];
    const pipeline::Schedule schedule =
        pipeline::made_by(plan.pipeline->schedule, plan.mesh.sizes[static_cast<std::size_t>(plan.mesh.uneven_along)],
                          plan.pipeline->chunks, request.graph.microbatches);
    const int position = stage == sharding::LayerStages::everywhere ? 0 : schedule.rank_of_part(stage);
    return {plan.axes, plan.mesh.at(plan.mesh.uneven_along, position)};
}

} // namespace planc::certificate
