#include "plan/transfers/transfer_bound.h"

#include "plan/numbers.h"
#include "plan/solver/rounded_down.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::plan {

namespace {

/// The maximum number of elements that a rank receives, on average, for each element that is paid for, in a group of
/// this many ranks.
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

/// The least latency of a round, out of lg(ranks) or more. Measured latencies cover all rounds of a group, and of
/// smaller groups.
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

double TransferBounds::latencies(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const {
    std::uint32_t gathered = pair.gathered | from.stored;
    gathered &= to.average > 0 ? ~(to.cut_by | to.stored) : 0; // where windows touch nothing, nothing is sent
    const std::uint32_t reduced = from.partial & ~to.partial;
    double seconds = 0;
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        if (reduced & bit(axis))
            seconds += (to.cut_by | to.stored) & bit(axis) ? gather_seconds_[axis] : reduce_seconds_[axis];
        else if (gathered & bit(axis))
            seconds += gather_seconds_[axis];
    return seconds;
}

double TransferBounds::arriving(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const {
    double arriving = to.average;
    if (from.addends)
        arriving = arriving_addends(from, to);
    else if (from.partial == to.partial)
        arriving -= std::min({pair.kept * pair.part, from.share, to.share});
    else // addends of one sum, of as many sums as stay
        arriving += from.elements * size(from.partial & to.partial) * (size(from.partial & ~to.partial) - 2) / ranks_;
    return arriving > rounding * to.average ? arriving : 0;
}

/// Of elements that windows need, nothing is known. A sum of k addends is made where k - 1 of them arrive, and ranks
/// that have replicas of all of them need not get it.
double TransferBounds::arriving_addends(const PlacedVolume &from, const PlacedVolume &to) const {
    if (to.windows != 0)
        return 0;
    const double replicas = ranks_ / size(from.cut_by);
    const double also_get_it = std::max(0.0, to.average * ranks_ / to.elements - replicas);
    return std::max(0.0, from.average / replicas - std::max(0.0, 1 - also_get_it) * from.elements / ranks_);
}

/// If an axis splits another dimension after than before, every route without a gather must move blocks.
DirectBound TransferBounds::directly(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const {
    const double arriving = std::max(this->arriving(from, to, pair), arriving_by_steps(from, to));
    const double latency = latencies(from, to, pair);
    DirectBound bound{arriving, latency, arriving, latency};
    const std::uint32_t moved = pair.left & to.cut_by;
    if (moved == 0 || pair.kept == 0 || (from.windows | to.windows) != 0 || (from.stored | to.stored) != 0)
        return bound;
    const std::uint32_t going = from.partial & ~to.partial;
    const std::uint32_t gathered = (from.cut_by | (going & ~to.cut_by)) & ~to.cut_by;
    bound.moving_latency =
        std::max(latency, message_seconds_ *
                              std::max(0.0, std::ceil(to.average / size(gathered) / pair.kept * (1 - rounding)) - 1));
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

/// Routes reduce in the blocks of `from`, split further first or not; for windows also without a scatter.
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

/// For a route that splits by some axes, scatters sums over others, all-reduces the rest, and then moves what it has.
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

float TransferBounds::OfShape::found(int from, int to, int element_bytes, bool latency) {
    volumes_.of(std::max(from, to)); // references stay valid
    const PlacedVolume &has = volumes_.of(from);
    const PlacedVolume &wants = volumes_.of(to);
    const PlacedPair pair = volumes_.pair(has, wants);
    return rounded_down(
        seconds(bounds_.arriving(has, wants, pair), latency ? bounds_.latencies(has, wants, pair) : 0, element_bytes));
}

float TransferBounds::OfShape::found_directly(int from, int to, int element_bytes, bool latency) {
    volumes_.of(std::max(from, to)); // references stay valid
    const PlacedVolume &has = volumes_.of(from);
    const PlacedVolume &wants = volumes_.of(to);
    const DirectBound least = bounds_.directly(has, wants, volumes_.pair(has, wants));
    return rounded_down(std::min(seconds(least.moving, latency ? least.moving_latency : 0, element_bytes),
                                 seconds(least.gathering, latency ? least.gathering_latency : 0, element_bytes)));
}

bool TransferBounds::OfShape::possible(int from, int to) {
    const std::uint32_t partial = volumes_.of(to).partial;
    const PlacedVolume &has = volumes_.of(from);
    return (has.windows == 0 || has.addends) && (partial & ~has.partial) == 0;
}

} // namespace planc::plan
