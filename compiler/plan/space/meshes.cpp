#include "plan/space/meshes.h"

#include <algorithm>
#include <limits>
#include <set>

namespace planc::plan {

namespace {

/// Every way to write `ranks` as a product of sizes for the axes, with the given ones fixed; larger sizes first.
void factorise(const std::vector<MeshAxis> &axes, int ranks, std::vector<int> &sizes,
               std::vector<std::vector<int>> &found) {
    if (sizes.size() == axes.size()) {
        if (ranks == 1)
            found.push_back(sizes);
        return;
    }
    const int given = axes[sizes.size()].size;
    for (int size = given ? given : ranks; size >= (given ? given : 1); --size) {
        if (ranks % size != 0)
            continue;
        sizes.push_back(size);
        factorise(axes, ranks / size, sizes, found);
        sizes.pop_back();
    }
}

/// The number of axes with one rank over which a rule of the user splits something: there the rule would have no
/// effect.
std::ptrdiff_t idle_axes(const MeshShape &shape, const std::set<std::string> &named) {
    std::ptrdiff_t idle = 0;
    for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
        idle += shape.mesh.sizes[axis] == 1 && named.contains(shape.axes[axis]);
    return idle;
}

/// Keeps the shapes with the fewest idle axes.
void keep_rules_effective(const Request &request, std::vector<MeshShape> &shapes) {
    std::set<std::string> named;
    for (const std::vector<Pin> &pins : request.pins)
        for (const Pin &pin : pins)
            named.insert(pin.axes.begin(), pin.axes.end());
    std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
    for (const MeshShape &shape : shapes)
        least = std::min(least, idle_axes(shape, named));
    std::erase_if(shapes, [&](const MeshShape &shape) { return idle_axes(shape, named) > least; });
}

/// Of open axes, at most three have more than one rank, or as many as are named. Of adjacent open axes that are not
/// named, those with one rank come last.
void keep_few_open_axes(const Request &request, std::vector<MeshShape> &shapes) {
    std::set<std::string> named = axes_of_rules(request);
    if (request.pipeline)
        named.insert(request.pipeline->axis);
    const std::vector<MeshAxis> &axes = request.mesh.axes;
    const auto of_rules =
        std::ranges::count_if(axes, [&](const MeshAxis &axis) { return axis.size == 0 && named.contains(axis.name); });
    const auto most = std::max<std::ptrdiff_t>(3, of_rules);
    std::erase_if(shapes, [&](const MeshShape &shape) {
        std::ptrdiff_t split = 0;
        bool after_one = false;
        bool is_same = false; // as another shape
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const bool is_open = axes[axis].size == 0;
            const bool is_one = shape.mesh.sizes[axis] == 1;
            split += is_open && !is_one;
            const bool is_alike = is_open && !named.contains(axes[axis].name);
            is_same |= is_alike && after_one && !is_one;
            after_one = is_alike && is_one;
        }
        return split > most || is_same;
    });
}

} // namespace

std::set<std::string> axes_of_rules(const Request &request) {
    std::set<std::string> named;
    for (const std::vector<Pin> &pins : request.pins)
        for (const Pin &pin : pins)
            named.insert(pin.axes.begin(), pin.axes.end());
    for (const StoragePin *pin : {&request.storage.parameters, &request.storage.gradients, &request.storage.optimizer})
        if (*pin)
            named.insert((*pin)->begin(), (*pin)->end());
    return named;
}

bool pins_axes(const Request &request) {
    for (const std::vector<Pin> &pins : request.pins)
        for (const Pin &pin : pins)
            if (!pin.axes.empty())
                return true;
    return false;
}

std::vector<MeshShape> mesh_shapes(const Request &request) {
    static const std::vector<std::string> names = {"rows", "cols", "planes"};
    const bool ordered = cost::placement_matters(request.machine, request.ranks) || pins_axes(request);
    std::vector<MeshShape> shapes;
    const auto add = [&](const std::vector<MeshAxis> &axes, bool ones) {
        std::vector<int> sizes;
        std::vector<std::vector<int>> found;
        factorise(axes, request.ranks, sizes, found);
        const auto open = std::find_if(axes.begin(), axes.end(), [](const MeshAxis &axis) { return axis.size == 0; });
        const bool open_to_end = std::all_of(open, axes.end(), [](const MeshAxis &axis) { return axis.size == 0; });
        for (const std::vector<int> &candidate : found) {
            if (!ones && candidate.size() > 1 && std::count(candidate.begin(), candidate.end(), 1) > 0)
                continue;
            if (!ordered && open_to_end &&
                !std::is_sorted(candidate.rbegin(), candidate.rbegin() + (axes.end() - open)))
                continue;
            MeshShape &shape = shapes.emplace_back();
            shape.mesh.sizes = candidate;
            for (const MeshAxis &axis : axes)
                shape.axes.push_back(axis.name);
        }
    };
    if (!request.mesh.automatic) {
        add(request.mesh.axes, true);
        keep_rules_effective(request, shapes);
        keep_few_open_axes(request, shapes);
        return shapes;
    }
    std::vector<MeshAxis> axes;
    for (const MeshAxis &axis : request.mesh.axes)
        if (has_stages(request, axis.name))
            axes.push_back(axis);
    if (!axes.empty())
        add(axes, true);
    for (const std::string &name : names) {
        if (axes.size() == names.size())
            break;
        axes.push_back({name, 0});
        add(axes, false);
    }
    return shapes;
}

} // namespace planc::plan
