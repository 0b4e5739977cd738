#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

Placement replicated(const std::vector<std::int64_t> &extents) {
    Placement result;
    result.dimensions.reserve(extents.size());
    for (std::int64_t extent : extents)
        result.dimensions.push_back({extent, {}});
    return result;
}

Placement without_windows(Placement placement) {
    for (planrt::DimensionPlacement &dimension : placement.dimensions)
        dimension.window.reset();
    return placement;
}

bool contains(const std::vector<int> &axes, int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool cuts(const Placement &placement, int axis) {
    return std::any_of(placement.dimensions.begin(), placement.dimensions.end(),
                       [axis](const planrt::DimensionPlacement &dimension) { return contains(dimension.axes, axis); });
}

bool is_prefix(const std::vector<int> &prefix, const std::vector<int> &list) {
    return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

std::int64_t group_size(const std::vector<int> &axes, const Mesh &mesh) {
    std::int64_t result = 1;
    for (int axis : axes)
        result *= mesh.sizes[axis];
    return result;
}

/// An exchange into cuts by axes along which `from` has replicas: only one of them serves, so that it may send to as
/// many as there are replicas.
static std::int64_t exchange_concentration(const Step &step, const Mesh &mesh) {
    std::vector<int> added;
    for (const planrt::DimensionPlacement &dimension : step.to.dimensions)
        for (int axis : dimension.axes)
            if (!cuts(step.from, axis))
                added.push_back(axis);
    return group_size(added, mesh);
}

/// What the rank that lacks most receives.
static std::int64_t largest_halo(const Step &step, const Mesh &mesh) {
    std::int64_t largest = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const planrt::Box wanted = local_box(step.to, mesh, rank);
        const planrt::Box kept = intersect(wanted, local_box(step.from, mesh, rank));
        largest = std::max(largest, volume(wanted) - volume(kept));
    }
    return largest;
}

double wire_volume(const Step &step, const Mesh &mesh) {
    if (step.kind == CollectiveKind::exchange && is_windowed(step.to))
        return static_cast<double>(largest_halo(step, mesh)) * mesh.ranks();
    const std::int64_t group = group_size(step.axes, mesh);
    const double share = static_cast<double>((group - 1) * (mesh.ranks() / group));
    const auto from = static_cast<double>(largest_volume(step.from, mesh));
    const auto to = static_cast<double>(largest_volume(step.to, mesh));
    switch (step.kind) {
    case CollectiveKind::slice:
        return 0;
    case CollectiveKind::all_gather:
        return share * to;
    case CollectiveKind::reduce_scatter:
        return share * from;
    case CollectiveKind::all_reduce:
        return 2 * share * from;
    case CollectiveKind::all_to_all:
        return share * std::max(from, to);
    case CollectiveKind::exchange:
        return share * std::max(from, to * static_cast<double>(exchange_concentration(step, mesh)));
    }
    return 0;
}

double wire_volume(const std::vector<Step> &steps, const Mesh &mesh) {
    double result = 0;
    for (const Step &step : steps)
        result += wire_volume(step, mesh);
    return result;
}

} // namespace planc::sharding
