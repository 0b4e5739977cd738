#include "certificate/least_transfer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace planc::certificate {

namespace {

/// Of a measured call for `n` bytes: how much of `n` a rank receives at most, on average. Groups may be smaller.
double part_received(const support::CollectiveRate &rate) {
    const double others = 1 - 1 / static_cast<double>(rate.ranks);
    if (rate.collective == "allreduce")
        return 2 * others;
    return rate.collective == "alltoall" || rate.collective == "exchange" ? 1 : others;
}

bool are_rings(const cost::AlgorithmTable &table) {
    return std::all_of(table.begin(), table.end(),
                       [](const cost::AlgorithmRange &range) { return range.algorithm == cost::Algorithm::ring; });
}

template <class Visit> void for_axes(std::uint32_t axes, const Visit &visit) {
    for (; axes != 0; axes &= axes - 1)
        visit(static_cast<std::size_t>(std::countr_zero(axes)));
}

/// The length of the union.
double length_of(std::vector<planrt::Range> ranges) {
    std::set<std::int64_t> listed;
    for (const planrt::Range &range : ranges)
        for (std::int64_t i = 0; range.listed != nullptr && i < range.size(); ++i)
            listed.insert(range.index(i));
    if (!listed.empty()) // then all ranges are lists
        return static_cast<double>(listed.size());
    std::sort(ranges.begin(), ranges.end(),
              [](const planrt::Range &a, const planrt::Range &b) { return a.begin < b.begin; });
    std::int64_t length = 0;
    std::int64_t end = 0;
    for (const planrt::Range &range : ranges)
        if (range.size() > 0 && range.end > end) {
            length += range.end - std::max(end, range.begin);
            end = range.end;
        }
    return static_cast<double>(length);
}

} // namespace

LeastTransfers::LeastTransfers(const sharding::Mesh &mesh, const cost::Machine &machine)
    : mesh_(mesh), bytes_per_second_(0), message_seconds_(machine.levels.front().link.latency.value) {
    for (const cost::Level &level : machine.levels) {
        bytes_per_second_ = std::max(bytes_per_second_, level.link.bytes_per_second);
        message_seconds_ = std::min(message_seconds_, level.link.latency.value);
    }
    for (const support::CollectiveRate &rate : machine.collectives) {
        bytes_per_second_ = std::max(bytes_per_second_, part_received(rate) * rate.bytes_per_second);
        message_seconds_ = std::min(message_seconds_, rate.latency.value / std::log2(rate.ranks));
    }
    const bool is_star = machine.levels.size() == 1 && machine.network().shape.empty() && machine.collectives.empty();
    const cost::Algorithms &algorithms = machine.algorithms;
    const bool gather = is_star && are_rings(algorithms.allgather);
    const bool scatter = is_star && are_rings(algorithms.reduce_scatter) && are_rings(algorithms.allreduce);
    for (const int ranks : mesh.sizes) {
        const double doublings = std::log2(ranks);
        to_gather_.push_back(gather ? ranks - 1 : doublings);
        to_scatter_.push_back(scatter ? ranks - 1 : doublings);
        to_sum_.push_back(scatter && gather ? 2 * (ranks - 1) : doublings);
    }
}

double LeastTransfers::seconds(const sharding::Reshards &shape, int from, int to, int element_bytes, bool latency) {
    const Least &found = least(shape, shapes_[&shape], from, to);
    return found.elements * element_bytes / bytes_per_second_ + (latency ? found.messages * message_seconds_ : 0);
}

const LeastTransfers::Least &LeastTransfers::least(const sharding::Reshards &reshards, Shape &shape, int from,
                                                   int to) const {
    if (static_cast<std::size_t>(from) >= shape.least.size())
        shape.least.resize(static_cast<std::size_t>(reshards.placements()));
    std::vector<Least> &row = shape.least[from];
    if (static_cast<std::size_t>(to) >= row.size())
        row.resize(static_cast<std::size_t>(reshards.placements()));
    Least &result = row[to];
    if (result.elements >= 0)
        return result;
    placed(reshards, shape, std::max(from, to)); // references stay valid
    const Placed &before = placed(reshards, shape, from);
    const Placed &after = placed(reshards, shape, to);
    return result = {arriving(shape, before, after), messages(shape, before, after)};
}

double LeastTransfers::arriving(Shape &shape, const Placed &from, const Placed &to) const {
    constexpr double rounding = 1e-12; // of elements that stay
    if (from.addends) {
        if (to.windows) // nobody may need an element
            return 0;
        const auto ranks = static_cast<double>(mesh_.ranks());
        const double replicas = ranks / size(from.cut);
        const double sent = std::max(0.0, to.average * ranks / to.together - replicas); // of each sum
        return std::max(0.0, (1 - rounding) * from.average / replicas + from.together * (sent - 1) / ranks);
    }
    const double addends = size(from.partial & ~to.partial);
    if (addends > 1)
        return to.average + to.together * size(to.partial) * (addends - 2) / static_cast<double>(mesh_.ranks());
    const double arriving = to.average - std::min({kept(shape, from, to), from.average, to.average});
    return arriving > rounding * to.average ? arriving : 0;
}

/// Dimensions that share no axis with others are independent: the average of the product is the product of averages.
/// Of the others, one counts with its average and the rest with the largest overlap.
double LeastTransfers::kept(Shape &shape, const Placed &from, const Placed &to) const {
    Axes any = 0;
    Axes several = 0;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
        const std::vector<Way> &ways = shape.dimensions[d].ways;
        const Axes axes = ways[from.ways[d]].axes | ways[to.ways[d]].axes;
        several |= any & axes;
        any |= axes;
    }
    double elements = 1;
    double part = 1;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
        Dimension &dimension = shape.dimensions[d];
        const Overlap &common = overlap(dimension, from.ways[d], to.ways[d]);
        const Axes axes = dimension.ways[from.ways[d]].axes | dimension.ways[to.ways[d]].axes;
        if (common.largest == 0)
            return 0;
        elements *= axes & several ? common.largest : common.average;
        part = axes & several ? std::min(part, common.average / common.largest) : part;
    }
    return elements * part;
}

double LeastTransfers::messages(const Shape &shape, const Placed &from, const Placed &to) const {
    if (to.average == 0) // windows that touch nothing
        return 0;
    Axes needed = 0; // something from all positions along these
    bool same_boxes = true;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
        const Way &before = shape.dimensions[d].ways[from.ways[d]];
        const Way &after = shape.dimensions[d].ways[to.ways[d]];
        if (after.axes == 0 && before.is_dense)
            needed |= before.axes;
        same_boxes &= (after.axes & ~before.axes) == 0;
    }
    if (same_boxes && from.average >= 1) // each shard has something of what is needed
        needed |= from.stored;
    const Axes split = to.cut | to.stored;
    double messages = 0;
    for_axes(needed & ~split, [&](std::size_t axis) { messages += to_gather_[axis]; });
    for_axes(from.partial & ~to.partial,
             [&](std::size_t axis) { messages += split >> axis & 1 ? to_scatter_[axis] : to_sum_[axis]; });
    return messages;
}

const LeastTransfers::Placed &LeastTransfers::placed(const sharding::Reshards &reshards, Shape &shape,
                                                     int number) const {
    while (static_cast<int>(shape.placed.size()) <= number)
        shape.placed.push_back(measured(reshards.placement(static_cast<int>(shape.placed.size())), shape));
    return shape.placed[number];
}

LeastTransfers::Placed LeastTransfers::measured(const sharding::Placement &placement, Shape &shape) const {
    shape.dimensions.resize(placement.dimensions.size());
    Placed result;
    result.partial = set_of(placement.partial);
    result.stored = set_of(placement.stored);
    result.windows = planrt::is_windowed(placement);
    result.addends = planrt::has_addends(placement);
    for (std::size_t d = 0; d < placement.dimensions.size(); ++d) {
        result.ways.push_back(way(placement.dimensions[d], shape.dimensions[d]));
        const Way &way = shape.dimensions[d].ways[result.ways.back()];
        result.cut |= way.axes;
        result.average *= way.average; // no axis cuts two dimensions
        result.together *= way.together;
    }
    result.average /= size(result.stored);
    return result;
}

int LeastTransfers::way(const planrt::DimensionPlacement &placed, Dimension &dimension) const {
    std::vector<Way> &ways = dimension.ways;
    const auto known = std::find_if(ways.begin(), ways.end(), [&](const Way &way) { return way.placed == placed; });
    const auto number = static_cast<int>(known - ways.begin());
    if (known != ways.end())
        return number;
    Way way{placed, set_of(placed.axes)};
    std::vector<planrt::Range> parts;
    for_positions(way.axes, [&](const std::vector<int> &at) { parts.push_back(part(way, at)); });
    for (const planrt::Range &each : parts) {
        way.average += static_cast<double>(each.size()) / static_cast<double>(parts.size());
        way.is_dense &= each.size() > 0;
    }
    way.together = length_of(std::move(parts));
    ways.push_back(std::move(way));
    for (std::vector<Overlap> &of_way : dimension.overlaps)
        of_way.resize(ways.size());
    dimension.overlaps.emplace_back(ways.size());
    return number;
}

const LeastTransfers::Overlap &LeastTransfers::overlap(Dimension &dimension, int from, int to) const {
    Overlap &result = dimension.overlaps[from][to];
    if (result.average >= 0)
        return result;
    const Way &before = dimension.ways[from];
    const Way &after = dimension.ways[to];
    const Axes axes = before.axes | after.axes;
    double sum = 0;
    for_positions(axes, [&](const std::vector<int> &at) {
        const planrt::Range has = part(before, at);
        const planrt::Range needs = part(after, at);
        const planrt::Range both = planrt::intersect(has, needs);
        const auto length = static_cast<double>(both.size());
        sum += length;
        result.largest = std::max(result.largest, length);
    });
    result.average = sum / size(axes);
    return result;
}

planrt::Range LeastTransfers::part(const Way &way, const std::vector<int> &coordinates) const {
    planrt::CutBlock cut = way.placed.whole();
    for (const int axis : way.placed.axes)
        cut = planrt::cut_block(cut, mesh_.sizes[axis], coordinates[axis]);
    return way.placed.indices(cut);
}

template <class Visit> void LeastTransfers::for_positions(Axes axes, const Visit &visit) const {
    std::vector<int> at(mesh_.sizes.size(), 0);
    for (bool more = true; more;) {
        visit(at);
        more = false;
        for_axes(axes, [&](std::size_t axis) {
            if (!more) {
                more = ++at[axis] < mesh_.sizes[axis];
                at[axis] = more ? at[axis] : 0;
            }
        });
    }
}

LeastTransfers::Axes LeastTransfers::set_of(std::span<const int> axes) const {
    Axes set = 0;
    for (const int axis : axes)
        set |= mesh_.sizes[axis] > 1 ? Axes{1} << axis : 0;
    return set;
}

double LeastTransfers::size(Axes axes) const {
    double ranks = 1;
    for_axes(axes, [&](std::size_t axis) { ranks *= mesh_.sizes[axis]; });
    return ranks;
}

} // namespace planc::certificate
