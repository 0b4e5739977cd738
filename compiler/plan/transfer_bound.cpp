#include "plan/transfer_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace planc::plan {

namespace {

constexpr double rounding = 1e-12;

/// Lengths of the parts of one dimension, of all coordinates of the axes that cut it.
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

/// Blocks without windows differ by their cuts alone: the first is the largest.
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

/// Elements that a rank receives at most, on average, of one that is paid for, in a group of the ranks.
double received(const support::CollectiveRate &rate) {
    const auto ranks = static_cast<double>(rate.ranks);
    if (rate.collective == "allreduce")
        return 2 * (ranks - 1) / ranks;
    return rate.collective == "allgather" || rate.collective == "reduce_scatter" ? (ranks - 1) / ranks : 1;
}

double fastest_link(const cost::Machine &machine) {
    double rate = 0;
    for (const cost::Level &level : machine.levels)
        rate = std::max(rate, level.link.bytes_per_second);
    for (const support::CollectiveRate &measured : machine.collectives)
        rate = std::max(rate, received(measured) * measured.bytes_per_second);
    return rate;
}

/// Of a round among lg(ranks) or more; what was measured is of all of a group's rounds, and of smaller groups'.
double least_latency(const cost::Machine &machine) {
    double latency = std::numeric_limits<double>::infinity();
    for (const cost::Level &level : machine.levels)
        latency = std::min(latency, level.link.latency.value);
    for (const support::CollectiveRate &measured : machine.collectives)
        latency = std::min(latency, measured.latency.value / std::log2(measured.ranks));
    return latency;
}

bool only_rings(const cost::Machine &machine, const cost::AlgorithmTable &table) {
    return machine.levels.size() == 1 && machine.network().shape.empty() && machine.collectives.empty() &&
           std::all_of(table.begin(), table.end(),
                       [](const cost::AlgorithmRange &range) { return range.algorithm == cost::Algorithm::ring; });
}

constexpr std::uint32_t bit(int axis) {
    return std::uint32_t{1} << axis;
}

std::uint32_t set_of(std::span<const int> axes, const sharding::Mesh &mesh) {
    std::uint32_t set = 0;
    for (int axis : axes)
        set |= mesh.sizes[axis] > 1 ? bit(axis) : 0;
    return set;
}

} // namespace

TransferBounds::TransferBounds(const sharding::Mesh &mesh, const cost::Machine &machine)
    : mesh_(mesh), ranks_(static_cast<double>(mesh.ranks())), bytes_per_second_(fastest_link(machine)) {
    constexpr std::size_t most_tabulated = 8;
    for (std::uint32_t axes = 0; axes < 1U << std::min(most_tabulated, mesh.sizes.size()); ++axes)
        size_of_.push_back(multiplied(axes));
    const double latency = least_latency(machine);
    if (machine.collectives.empty())
        message_seconds_ = latency;
    const bool gathers =
        only_rings(machine, machine.algorithms.allgather) && only_rings(machine, machine.algorithms.reduce_scatter);
    const bool reduces = gathers && only_rings(machine, machine.algorithms.allreduce);
    for (int size : mesh.sizes) {
        const double rounds = std::log2(size);
        gather_seconds_.push_back(latency * (gathers ? size - 1 : rounds));
        reduce_seconds_.push_back(latency * (reduces ? 2 * (size - 1) : rounds));
    }
}

PlacedVolume TransferBounds::measured(const sharding::Placement &placement) const {
    PlacedVolume result;
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        result.windows |= dimension.window ? bit(static_cast<int>(result.cut.size())) : 0;
        result.cut.push_back(set_of(dimension.axes, mesh_));
        result.cut_by |= result.cut.back();
        result.axes.push_back(dimension.axes);
        const Lengths lengths = lengths_of(dimension, mesh_);
        result.largest.push_back(lengths.largest);
        result.average *= lengths.sum / lengths.count; // no axis cuts two dimensions
        result.elements *= static_cast<double>(dimension.extent);
        result.extents.push_back(dimension.extent);
    }
    result.partial = set_of(placement.partial, mesh_);
    result.stored = set_of(placement.stored, mesh_);
    for (int axis : placement.stored)
        result.average /= mesh_.sizes[axis];
    result.share = static_cast<double>(planrt::largest_volume(placement, mesh_));
    return result;
}

double TransferBounds::latencies(const PlacedVolume &from, const PlacedVolume &to) const {
    std::uint32_t gathered = 0;
    for (std::size_t d = 0; d < to.cut.size(); ++d)
        gathered |= to.cut[d] == 0 ? from.cut[d] : 0;
    gathered |= from.stored;
    gathered &= to.average > 0 ? ~(to.cut_by | to.stored) : 0; // where windows touch nothing, nothing is sent
    double seconds = 0;
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        if (from.partial & ~to.partial & bit(axis))
            seconds += (to.cut_by | to.stored) & bit(axis) ? gather_seconds_[axis] : reduce_seconds_[axis];
        else if (gathered & bit(axis))
            seconds += gather_seconds_[axis];
    return seconds;
}

double TransferBounds::arriving(const PlacedVolume &from, const PlacedVolume &to) const {
    double arriving = to.average;
    if (from.partial == to.partial) {
        double kept = 1;
        double part = 1; // the least that one dimension makes of it on average
        for (std::size_t d = 0; d < to.largest.size(); ++d) {
            const double shorter = std::min(from.largest[d], to.largest[d]);
            kept *= shorter;
            if (shorter > 0 && (to.windows & bit(static_cast<int>(d))) == 0)
                part = std::min(part, in_common(from, to, d, mesh_) / shorter);
        }
        arriving -= std::min({kept * part, from.share, to.share});
    } else {
        double going = 1; // addends of one sum
        double staying = 1;
        for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
            if (from.partial & bit(axis))
                (to.partial & bit(axis) ? staying : going) *= mesh_.sizes[axis];
        arriving += from.elements * staying * (going - 2) / ranks_;
    }
    return arriving > rounding * to.average ? arriving : 0;
}

/// The average length that two ranks' blocks of a dimension have in common: where the axes that differ are different
/// ones, any two blocks within one of those that both begin with meet.
double TransferBounds::in_common(const PlacedVolume &from, const PlacedVolume &to, std::size_t dimension,
                                 const sharding::Mesh &mesh) {
    const planrt::AxisList &a = from.axes[dimension];
    const planrt::AxisList &b = to.axes[dimension];
    const auto [rest_a, rest_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    double length = std::max(from.largest[dimension], to.largest[dimension]);
    if (std::any_of(rest_a, a.end(),
                    [&, rest = rest_b](int axis) { return std::find(rest, b.end(), axis) != b.end(); }))
        return length;
    length = static_cast<double>(from.extents[dimension]);
    for (int axis : a)
        length /= mesh.sizes[axis];
    for (auto axis = rest_b; axis != b.end(); ++axis)
        length /= mesh.sizes[*axis];
    return length;
}

/// Where an axis cuts another dimension before than after, no route but a gather spares moving blocks.
DirectBound TransferBounds::directly(const PlacedVolume &from, const PlacedVolume &to) const {
    const double arriving = std::max(this->arriving(from, to), arriving_by_steps(from, to));
    const double latency = latencies(from, to);
    DirectBound bound{arriving, latency, arriving, latency};
    std::uint32_t moved = 0;
    double common = 1;
    for (std::size_t d = 0; d < to.cut.size(); ++d) {
        moved |= from.cut[d] & to.cut_by & ~to.cut[d];
        common *= std::min(from.largest[d], to.largest[d]);
    }
    if (moved == 0 || common == 0 || to.windows != 0 || (from.stored | to.stored) != 0)
        return bound;
    const std::uint32_t going = from.partial & ~to.partial;
    const std::uint32_t gathered = (from.cut_by | (going & ~to.cut_by)) & ~to.cut_by;
    bound.moving_latency =
        std::max(latency, message_seconds_ *
                              std::max(0.0, std::ceil(to.average / size(gathered) / common * (1 - rounding)) - 1));
    const double reduced = from.average / size(going);
    bound.gathering = std::max(arriving, from.average - reduced + reduced * (size(moved) - 1));
    return bound;
}

double TransferBounds::multiplied(std::uint32_t axes) const {
    double size = 1;
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        size *= axes & bit(axis) ? mesh_.sizes[axis] : 1;
    return size;
}

/// Routes reduce in the blocks of `from`: cut further first, or not; to what windows touch also without a scatter.
double TransferBounds::arriving_by_steps(const PlacedVolume &from, const PlacedVolume &to) const {
    if (from.partial == to.partial || (from.stored | to.stored) != 0)
        return 0;
    const std::uint32_t scattered = from.partial & ~to.partial & to.cut_by;
    const std::uint32_t sliced = to.cut_by & ~from.cut_by & ~from.partial;
    double least = arriving_by_route(from, to, 0, scattered);
    if (sliced != 0)
        least = std::min(least, arriving_by_route(from, to, sliced, scattered));
    if (to.windows != 0)
        least = std::min(least, arriving_by_route(from, to, 0, 0));
    return least;
}

/// Of a route that cuts by axes, scatters sums over others, reduces the rest of them, and moves what it has then.
double TransferBounds::arriving_by_route(const PlacedVolume &from, const PlacedVolume &to, std::uint32_t sliced,
                                         std::uint32_t scattered) const {
    const double rest = size(from.partial & ~to.partial & ~scattered);
    const double before = from.average / size(sliced);
    const double after = before / size(scattered);
    const auto length_of = [&](std::size_t d) { // of the sums' parts
        const bool window = to.windows & bit(static_cast<int>(d));
        return window ? from.largest[d] : std::ceil(from.largest[d] / size(to.cut[d] & (sliced | scattered)));
    };
    double kept = 1;
    for (std::size_t d = 0; d < to.largest.size(); ++d)
        kept *= std::min(length_of(d), to.largest[d]);
    const double arrived = before - after;
    if (rest == 1)
        return arrived + std::max(0.0, to.average - kept);
    double kept_of_scattered = 0; // the rest is scattered along some dimension, or summed up everywhere
    for (std::size_t d = 0; d < to.largest.size(); ++d) {
        const double part = length_of(d);
        const double length = std::min(part, to.largest[d]);
        if (length > 0)
            kept_of_scattered =
                std::max(kept_of_scattered, kept / length * std::min(std::ceil(part / rest), to.largest[d]));
    }
    return arrived + (1 - 1 / rest) * after +
           std::min(std::max(0.0, to.average - kept_of_scattered),
                    (1 - 1 / rest) * after + std::max(0.0, to.average - kept));
}

const PlacedVolume &TransferBounds::OfShape::volume(int number) {
    while (static_cast<int>(volumes_.size()) <= number)
        volumes_.push_back(bounds_.measured(reshards_.placement(static_cast<int>(volumes_.size()))));
    return volumes_[number];
}

double TransferBounds::OfShape::found(int from, int to, int element_bytes, bool latency) {
    volume(std::max(from, to)); // references stay valid
    const PlacedVolume &has = volume(from);
    const PlacedVolume &wants = volume(to);
    return seconds(bounds_.arriving(has, wants), latency ? bounds_.latencies(has, wants) : 0, element_bytes);
}

double TransferBounds::OfShape::found_directly(int from, int to, int element_bytes, bool latency) {
    volume(std::max(from, to)); // references stay valid
    const DirectBound least = bounds_.directly(volume(from), volume(to));
    return std::min(seconds(least.moving, latency ? least.moving_latency : 0, element_bytes),
                    seconds(least.gathering, latency ? least.gathering_latency : 0, element_bytes));
}

bool TransferBounds::OfShape::possible(int from, int to) {
    volume(std::max(from, to)); // references stay valid
    const PlacedVolume &has = volume(from);
    return has.windows == 0 && (volume(to).partial & ~has.partial) == 0;
}

} // namespace planc::plan
