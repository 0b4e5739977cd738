#include "plan/transfers/placed_volume.h"

#include <algorithm>
#include <span>

namespace planc::plan {

namespace {

/// The lengths of the parts of one dimension, for all coordinates of the axes that split it.
struct Lengths {
    double largest = 0;
    double sum = 0;
    double count = 0;
};

void add_parts(const planrt::DimensionPlacement &dimension, const sharding::Mesh &mesh, std::size_t cuts,
               const planrt::CutBlock &cut, Lengths &lengths) {
    if (cuts == dimension.axes.size()) {
        const auto length = static_cast<double>(dimension.indices(cut).size());
        lengths.largest = std::max(lengths.largest, length);
        lengths.sum += length;
        ++lengths.count;
        return;
    }
    const int parts = mesh.sizes[dimension.axes[cuts]];
    for (int index = 0; index < parts; ++index)
        add_parts(dimension, mesh, cuts + 1, planrt::cut_block(cut, parts, index), lengths);
}

/// Blocks without windows differ only by their cuts, so the first is the largest.
Lengths lengths_of(const planrt::DimensionPlacement &dimension, const sharding::Mesh &mesh) {
    if (dimension.window) {
        Lengths lengths;
        add_parts(dimension, mesh, 0, dimension.whole(), lengths);
        return lengths;
    }
    std::int64_t largest = dimension.extent;
    double count = 1;
    for (int axis : dimension.axes) {
        largest = (largest + mesh.sizes[axis] - 1) / mesh.sizes[axis];
        count *= mesh.sizes[axis];
    }
    return {static_cast<double>(largest), static_cast<double>(dimension.extent), count};
}

std::uint32_t set_of(std::span<const int> axes, const sharding::Mesh &mesh) {
    std::uint32_t set = 0;
    for (int axis : axes)
        set |= mesh.sizes[axis] > 1 ? std::uint32_t{1} << axis : 0;
    return set;
}

} // namespace

const PlacedVolume &PlacedVolumes::of(int number) {
    while (static_cast<int>(volumes_.size()) <= number)
        volumes_.push_back(measured(reshards_.placement(static_cast<int>(volumes_.size()))));
    return volumes_[number];
}

PlacedVolume PlacedVolumes::measured(const sharding::Placement &placement) {
    dimensions_.resize(placement.dimensions.size());
    PlacedVolume result;
    for (std::size_t d = 0; d < placement.dimensions.size(); ++d) {
        const planrt::DimensionPlacement &dimension = placement.dimensions[d];
        result.windows |= dimension.window ? std::uint32_t{1} << d : 0;
        result.kinds.push_back(way(d, dimension));
        const Way &way = dimensions_[d].ways[result.kinds.back()];
        result.cut.push_back(way.cut);
        result.cut_by |= way.cut;
        result.largest.push_back(way.largest);
        result.average *= way.average; // no axis cuts two dimensions
        result.elements *= static_cast<double>(dimension.extent);
    }
    result.addends = planrt::has_addends(placement);
    result.partial = set_of(placement.partial, mesh_);
    result.stored = set_of(placement.stored, mesh_);
    for (int axis : placement.stored)
        result.average /= mesh_.sizes[axis];
    result.share = static_cast<double>(planrt::largest_volume(placement, mesh_));
    return result;
}

int PlacedVolumes::way(std::size_t dimension, const planrt::DimensionPlacement &placed) {
    Dimension &of_dimension = dimensions_[dimension];
    std::vector<Way> &ways = of_dimension.ways;
    const auto known = std::find_if(ways.begin(), ways.end(), [&](const Way &way) { return way.placed == placed; });
    const auto number = static_cast<int>(known - ways.begin());
    if (known == ways.end()) {
        const Lengths lengths = lengths_of(placed, mesh_);
        ways.push_back({placed, set_of(placed.axes, mesh_), lengths.largest, lengths.sum / lengths.count});
        of_dimension.pairs.emplace_back();
        for (std::vector<PairOfWays> &from : of_dimension.pairs)
            from.resize(ways.size());
    }
    return number;
}

PlacedPair PlacedVolumes::pair(const PlacedVolume &from, const PlacedVolume &to) {
    PlacedPair result;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        Dimension &dimension = dimensions_[d];
        PairOfWays &ways = dimension.pairs[from.kinds[d]][to.kinds[d]];
        if (!ways.known)
            ways = paired(dimension.ways[from.kinds[d]], dimension.ways[to.kinds[d]]);
        result.kept *= ways.shorter;
        result.part = std::min(result.part, ways.part);
        result.gathered |= to.cut[d] == 0 ? from.cut[d] : 0;
        result.left |= from.cut[d] & ~to.cut[d];
    }
    return result;
}

PlacedVolumes::PairOfWays PlacedVolumes::paired(const Way &from, const Way &to) const {
    PairOfWays pair{true, std::min(from.largest, to.largest), 1};
    if (pair.shorter > 0 && !to.placed.window)
        pair.part = in_common(from, to) / pair.shorter;
    return pair;
}

/// The average overlap of two ranks' blocks of a dimension. If the axes that differ are different ones, any two blocks
/// within a common block of the shared axes overlap.
double PlacedVolumes::in_common(const Way &from, const Way &to) const {
    const planrt::AxisList &a = from.placed.axes;
    const planrt::AxisList &b = to.placed.axes;
    const auto [rest_a, rest_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (std::any_of(rest_a, a.end(),
                    [&, rest = rest_b](int axis) { return std::find(rest, b.end(), axis) != b.end(); }))
        return std::max(from.largest, to.largest);
    auto length = static_cast<double>(from.placed.extent);
    for (int axis : a)
        length /= mesh_.sizes[axis];
    for (auto axis = rest_b; axis != b.end(); ++axis)
        length /= mesh_.sizes[*axis];
    return length;
}

} // namespace planc::plan
