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

namespace {

/// Along one dimension: how long the part is that a rank wants, and what it has of that.
using WantedAndKept = std::pair<std::int64_t, std::int64_t>;

planrt::Range range_of(const planrt::DimensionPlacement &dimension, const Mesh &mesh, const std::vector<int> &at) {
    planrt::CutBlock cut = dimension.whole();
    for (int axis : dimension.axes)
        cut = planrt::cut_block(cut, mesh.sizes[axis], at[axis]);
    return dimension.indices(cut);
}

/// Of all coordinates of the axes that cut the dimension before or after, each pair once.
std::vector<WantedAndKept> lengths(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to,
                                   const Mesh &mesh, const std::vector<int> &axes) {
    std::vector<WantedAndKept> result;
    std::vector<int> at(mesh.sizes.size(), 0);
    while (true) {
        const planrt::Range wanted = range_of(to, mesh, at);
        const planrt::Range has = range_of(from, mesh, at);
        const planrt::Range kept{std::max(wanted.begin, has.begin), std::min(wanted.end, has.end)};
        const WantedAndKept pair{wanted.size(), kept.size()};
        if (std::find(result.begin(), result.end(), pair) == result.end())
            result.push_back(pair);
        std::size_t moving = 0;
        while (moving < axes.size() && ++at[axes[moving]] == mesh.sizes[axes[moving]])
            at[axes[moving++]] = 0;
        if (moving == axes.size())
            return result;
    }
}

/// Axes that cut the dimension before or after, each once.
std::vector<int> axes_of(const Step &step, std::size_t dimension) {
    std::vector<int> axes = step.from.dimensions[dimension].axes;
    for (int axis : step.to.dimensions[dimension].axes)
        if (!contains(axes, axis))
            axes.push_back(axis);
    return axes;
}

/// The most that any rank wants and does not have, where no axis cuts two dimensions: every combination of what the
/// dimensions have is some rank's.
std::int64_t largest_lack(const std::vector<std::vector<WantedAndKept>> &dimensions, std::size_t dimension,
                          std::int64_t wanted, std::int64_t kept) {
    if (dimension == dimensions.size())
        return wanted - kept;
    std::int64_t largest = 0;
    for (const auto &[w, k] : dimensions[dimension])
        largest = std::max(largest, largest_lack(dimensions, dimension + 1, wanted * w, kept * k));
    return largest;
}

std::int64_t largest_lack_by_rank(const Step &step, const Mesh &mesh) {
    std::int64_t largest = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const planrt::Box wanted = local_box(step.to, mesh, rank);
        const planrt::Box kept = intersect(wanted, local_box(step.from, mesh, rank));
        largest = std::max(largest, volume(wanted) - volume(kept));
    }
    return largest;
}

} // namespace

/// What the rank that lacks most receives.
static std::int64_t largest_halo(const Step &step, const Mesh &mesh) {
    std::vector<std::vector<WantedAndKept>> dimensions;
    std::vector<int> seen;
    for (std::size_t d = 0; d < step.to.dimensions.size(); ++d) {
        const std::vector<int> axes = axes_of(step, d);
        for (int axis : axes)
            if (contains(seen, axis))
                return largest_lack_by_rank(step, mesh);
        seen.insert(seen.end(), axes.begin(), axes.end());
        dimensions.push_back(lengths(step.from.dimensions[d], step.to.dimensions[d], mesh, axes));
    }
    return largest_lack(dimensions, 0, 1, 1);
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
