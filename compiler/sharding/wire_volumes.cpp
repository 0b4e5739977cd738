#include "sharding/wire_volumes.h"

#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

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

using WantedAndKept = WireVolumes::WantedAndKept;
using Lengths = WireVolumes::Lengths;

planrt::Range range_of(const planrt::DimensionPlacement &dimension, const Mesh &mesh, const std::vector<int> &at) {
    planrt::CutBlock cut = dimension.whole();
    for (int axis : dimension.axes)
        cut = planrt::cut_block(cut, mesh.sizes[axis], at[axis]);
    return dimension.indices(cut);
}

/// Advances the coordinates along these axes, the first fastest. False: it wrapped around to the first ones.
bool next(std::vector<int> &coordinates, const std::vector<int> &axes, const Mesh &mesh) {
    for (int axis : axes) {
        if (++coordinates[axis] < mesh.sizes[axis])
            return true;
        coordinates[axis] = 0;
    }
    return false;
}

Lengths tabulate(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to, const Mesh &mesh) {
    Lengths result{from, to, {}, {}, {}};
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
        result.pairs.emplace_back(from.is_sparse() ? has.size() : wanted.size(), kept.size());
    } while (next(at, axes, mesh));
    result.different = result.pairs;
    std::sort(result.different.begin(), result.different.end());
    result.different.erase(std::unique(result.different.begin(), result.different.end()), result.different.end());
    return result;
}

/// For dimensions that share no axis: every combination of their lengths occurs on some rank.
std::int64_t largest_of_any(const std::vector<const Lengths *> &dimensions) {
    std::vector<WantedAndKept> products{{1, 1}};
    for (const Lengths *dimension : dimensions) {
        std::vector<WantedAndKept> next;
        for (const auto &[wanted, kept] : products)
            for (const auto &[more_wanted, more_kept] : dimension->different)
                next.emplace_back(wanted * more_wanted, kept * more_kept);
        products = std::move(next);
    }
    std::int64_t largest = 0;
    for (const auto &[wanted, kept] : products)
        largest = std::max(largest, wanted - kept);
    return largest;
}

} // namespace

const WantedAndKept &WireVolumes::Lengths::at(const std::vector<int> &coordinates) const {
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < strides.size(); ++axis)
        index += strides[axis] * static_cast<std::size_t>(coordinates[axis]);
    return pairs[index];
}

const WireVolumes::Lengths &WireVolumes::lengths(const planrt::DimensionPlacement &from,
                                                 const planrt::DimensionPlacement &to) {
    const std::size_t at = hash({{from, to}, {}});
    const auto [first, last] = known_.equal_range(at);
    const auto found = std::find_if(
        first, last, [&](const auto &entry) { return entry.second.from == from && entry.second.to == to; });
    if (found != last)
        return found->second;
    const Lengths &made = known_.emplace(at, tabulate(from, to, mesh_))->second;
    blocks_of_needed_ += to.is_sparse() || from.is_sparse() ? static_cast<double>(made.pairs.size()) : 0;
    return made;
}

std::int64_t WireVolumes::largest_halo(const Step &step) {
    std::vector<const Lengths *> dimensions;
    std::vector<int> axes; // along which ranks differ
    bool apart = true;
    for (std::size_t d = 0; d < step.to.dimensions.size(); ++d) {
        dimensions.push_back(&lengths(step.from.dimensions[d], step.to.dimensions[d]));
        for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis) {
            if (dimensions.back()->strides[axis] == 0)
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
    std::vector<int> at(mesh_.sizes.size(), 0);
    do {
        std::int64_t wanted = 1;
        std::int64_t kept = 1;
        for (const Lengths *dimension : dimensions) {
            wanted *= dimension->at(at).first;
            kept *= dimension->at(at).second;
        }
        largest = std::max(largest, wanted - kept);
    } while (next(at, axes, mesh_));
    return largest;
}

double WireVolumes::of(const Step &step) {
    if (step.kind == CollectiveKind::exchange && (is_windowed(step.to) || is_windowed(step.from)))
        return static_cast<double>(largest_halo(step)) * mesh_.ranks();
    const std::int64_t group = group_size(step.axes, mesh_);
    const double share = static_cast<double>((group - 1) * (mesh_.ranks() / group));
    const auto from = static_cast<double>(largest_volume(step.from, mesh_));
    const auto to = static_cast<double>(largest_volume(step.to, mesh_));
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
        return share * std::max(from, to * static_cast<double>(exchange_concentration(step, mesh_)));
    }
    return 0;
}

double WireVolumes::of(const std::vector<Step> &steps) {
    double result = 0;
    for (const Step &step : steps)
        result += of(step);
    return result;
}

double wire_volume(const Step &step, const Mesh &mesh) {
    return WireVolumes(mesh).of(step);
}

double wire_volume(const std::vector<Step> &steps, const Mesh &mesh) {
    return WireVolumes(mesh).of(steps);
}

} // namespace planc::sharding
