#include "plan/pipeline/depths.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "plan/space/meshes.h"
#include "sharding/stage_recomputation.h"

#include <algorithm>
#include <set>

namespace planc::plan {

namespace {

std::vector<MeshAxis> possible_axes(const Request &request) {
    const std::string &wanted = request.pipeline->axis;
    if (wanted.empty() && request.mesh.automatic)
        return {{stages_axis, 0}};
    std::vector<MeshAxis> axes;
    const std::set<std::string> taken = axes_of_rules(request);
    const bool alike = !cost::placement_matters(request.machine, request.ranks); // open ones that no rule names
    bool has_open = false;
    for (const MeshAxis &axis : request.mesh.axes) {
        if (wanted.empty() ? taken.contains(axis.name) || (alike && has_open && axis.size == 0) : axis.name != wanted)
            continue;
        has_open |= axis.size == 0;
        axes.push_back(axis);
    }
    return axes;
}

} // namespace

std::vector<Depth> depths(const Request &request) {
    return depths(request, request.graph.microbatches, request.pipeline->any_depth);
}

std::vector<Depth> depths(const Request &request, int microbatches, bool any_depth) {
    const PipelineRequest &wanted = *request.pipeline;
    int fixed = 1; // ranks of the axes whose sizes are given
    for (const MeshAxis &axis : request.mesh.axes)
        fixed *= request.mesh.automatic ? 1 : std::max(axis.size, 1);
    const bool rule = !wanted.axis.empty();
    const auto layers = static_cast<int>(wanted.layers.size());
    std::vector<Depth> depths;
    for (const MeshAxis &axis : possible_axes(request)) {
        if (axis.size > 0 && (rule || (axis.size > 1 && axis.size * wanted.chunks <= layers))) {
            depths.push_back({axis.name, axis.size});
            continue;
        }
        const int open = request.ranks / fixed;
        const auto others = std::count_if(request.mesh.axes.begin(), request.mesh.axes.end(),
                                          [](const MeshAxis &each) { return each.size == 0; });
        if (!request.mesh.automatic && others == 1) { // all ranks that are left
            if (rule || (open > 1 && open * wanted.chunks <= layers))
                depths.push_back({axis.name, open});
            continue;
        }
        const int cuts = static_cast<int>(wanted.cuts.size());
        for (int ranks = cuts > 0 ? std::max(1, (cuts + 1) / wanted.chunks) : 2;
             ranks <= open && ranks * wanted.chunks <= (cuts > 0 ? cuts + 1 : layers); ++ranks)
            if (open % ranks == 0)
                depths.push_back({axis.name, ranks});
        if (rule && depths.empty())
            depths.push_back({axis.name, 1});
    }
    if (pipeline::is_table(wanted.schedule)) { // for one depth
        const int ranks = pipeline::read_text(wanted.schedule).ranks;
        if (std::any_of(depths.begin(), depths.end(), [&](const Depth &depth) { return depth.ranks == ranks; }))
            std::erase_if(depths, [&](const Depth &depth) { return depth.ranks != ranks; });
    }
    if (!any_depth)
        std::erase_if(depths, [&](const Depth &depth) {
            const int stages = depth.ranks * wanted.chunks;
            return microbatches < 2 * stages || microbatches > 8 * stages;
        });
    std::stable_sort(depths.begin(), depths.end(), [](const Depth &a, const Depth &b) { return a.ranks < b.ranks; });
    return depths;
}

Request with_depth(const Request &request, const Depth &depth) {
    Request inner = request;
    inner.graph = sharding::with_least_recomputation(request.graph);
    inner.pipeline->axis = depth.axis;
    if (inner.mesh.automatic)
        inner.mesh.axes = {{depth.axis, depth.ranks}};
    for (MeshAxis &axis : inner.mesh.axes)
        if (axis.name == depth.axis)
            axis.size = depth.ranks;
    inner.memory_limit_bytes = 0;
    inner.machine.memory_bytes = 0;
    return inner;
}

} // namespace planc::plan
