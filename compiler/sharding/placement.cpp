#include "sharding/placement.h"

#include <algorithm>
#include <utility>

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

bool contains(std::span<const int> axes, int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Placement sent_placement(Placement origin) {
    origin.stored.clear();
    const std::vector<int> summed = std::exchange(origin.partial, {});
    origin.reduction = Reduction::sum;
    if (summed.empty() || origin.dimensions.empty())
        return origin;
    const auto rank = [](const planrt::DimensionPlacement &dimension) {
        return std::pair(dimension.axes.empty(), dimension.extent);
    };
    const auto into = std::max_element(origin.dimensions.begin(), origin.dimensions.end(),
                                       [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    for (const int axis : summed)
        into->axes.push_back(axis);
    return origin;
}

bool cuts(const Placement &placement, int axis) {
    return std::any_of(placement.dimensions.begin(), placement.dimensions.end(),
                       [axis](const planrt::DimensionPlacement &dimension) { return contains(dimension.axes, axis); });
}

bool is_prefix(std::span<const int> prefix, std::span<const int> list) {
    return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

std::int64_t group_size(std::span<const int> axes, const Mesh &mesh) {
    std::int64_t result = 1;
    for (int axis : axes)
        result *= mesh.sizes[axis];
    return result;
}

/// For an exchange into splits by axes along which `from` is replicated: only one replica serves, so it may send to as
/// many ranks as there are replicas.
static std::int64_t exchange_concentration(const Step &step, const Mesh &mesh) {
    std::vector<int> added;
    for (const planrt::DimensionPlacement &dimension : step.to.dimensions)
        for (int axis : dimension.axes)
            if (!cuts(step.from, axis))
                added.push_back(axis);
    return group_size(added, mesh);
}

namespace {

/// Along one dimension: the length of the part that a rank needs, and how much of it the rank already has.
using WantedAndKept = std::pair<std::int64_t, std::int64_t>;

planrt::Range range_of(const planrt::DimensionPlacement &dimension, const Mesh &mesh, const std::vector<int> &at) {
    planrt::CutBlock cut = dimension.whole();
    for (int axis : dimension.axes)
        cut = planrt::cut_block(cut, mesh.sizes[axis], at[axis]);
    return dimension.indices(cut);
}

/// One dimension of a step, tabulated over the coordinates of the axes that cut it before or after.
struct Lengths {
    std::vector<std::size_t> strides; ///< per axis of the mesh; 0: it cuts nothing here
    std::vector<WantedAndKept> pairs;
    [[nodiscard]] const WantedAndKept &at(const std::vector<int> &coordinates) const {
        std::size_t index = 0;
        for (std::size_t axis = 0; axis < strides.size(); ++axis)
            index += strides[axis] * static_cast<std::size_t>(coordinates[axis]);
        return pairs[index];
    }
};

/// Advances the coordinates along these axes, the first fastest. False: it wrapped around to the first ones.
bool next(std::vector<int> &coordinates, const std::vector<int> &axes, const Mesh &mesh) {
    for (int axis : axes) {
        if (++coordinates[axis] < mesh.sizes[axis])
            return true;
        coordinates[axis] = 0;
    }
    return false;
}

Lengths lengths(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to, const Mesh &mesh) {
    Lengths result;
    result.strides.assign(mesh.sizes.size(), 0);
    std::vector<int> axes(from.axes.begin(), from.axes.end());
    for (int axis : to.axes)
        if (!contains(axes, axis))
            axes.push_back(axis);
    std::size_t stride = 1;
    for (int axis : axes) {
        result.strides[axis] = stride;
        stride *= static_cast<std::size_t>(mesh.sizes[axis]);
    }
    std::vector<int> at(mesh.sizes.size(), 0);
    do {
        const planrt::Range wanted = range_of(to, mesh, at);
        const planrt::Range has = range_of(from, mesh, at);
        const planrt::Range kept = planrt::intersect(wanted, has);
        result.pairs.emplace_back(wanted.size(), kept.size());
    } while (next(at, axes, mesh));
    return result;
}

} // namespace

/// For dimensions that share no axis: every combination of their lengths occurs on some rank.
static std::int64_t largest_of_any(std::vector<Lengths> &dimensions) {
    std::vector<WantedAndKept> products{{1, 1}};
    for (Lengths &dimension : dimensions) {
        std::vector<WantedAndKept> &pairs = dimension.pairs;
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        std::vector<WantedAndKept> next;
        for (const auto &[wanted, kept] : products)
            for (const auto &[more_wanted, more_kept] : pairs)
                next.emplace_back(wanted * more_wanted, kept * more_kept);
        products = std::move(next);
    }
    std::int64_t largest = 0;
    for (const auto &[wanted, kept] : products)
        largest = std::max(largest, wanted - kept);
    return largest;
}

/// The elements that the rank which lacks most receives.
static std::int64_t largest_halo(const Step &step, const Mesh &mesh) {
    std::vector<Lengths> dimensions;
    std::vector<int> axes; // along which ranks differ
    bool apart = true;
    for (std::size_t d = 0; d < step.to.dimensions.size(); ++d) {
        dimensions.push_back(lengths(step.from.dimensions[d], step.to.dimensions[d], mesh));
        for (int axis = 0; axis < static_cast<int>(mesh.sizes.size()); ++axis) {
            if (dimensions.back().strides[axis] == 0)
                continue;
            if (contains(axes, axis))
                apart = false;
            else
                axes.push_back(axis);
        }
    }
    if (apart)
        return largest_of_any(dimensions);
    std::int64_t largest = 0;
    std::vector<int> at(mesh.sizes.size(), 0);
    do {
        std::int64_t wanted = 1;
        std::int64_t kept = 1;
        for (const Lengths &dimension : dimensions) {
            wanted *= dimension.at(at).first;
            kept *= dimension.at(at).second;
        }
        largest = std::max(largest, wanted - kept);
    } while (next(at, axes, mesh));
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
