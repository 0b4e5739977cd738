#include "plan/transfer_bound.h"

#include <algorithm>

namespace planc::plan {

namespace {

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

double fastest_link(const cost::Machine &machine) {
    double rate = 0;
    for (const cost::Level &level : machine.levels)
        rate = std::max(rate, level.link.bytes_per_second);
    return rate;
}

} // namespace

TransferBounds::TransferBounds(const sharding::Mesh &mesh, const cost::Machine &machine)
    : mesh_(mesh), ranks_(static_cast<double>(mesh.ranks())), bytes_per_second_(fastest_link(machine)) {}

const PlacedVolume &TransferBounds::of(const sharding::Reshards &reshards, int number) {
    const auto [known, is_new] = known_.try_emplace(std::pair(&reshards, number));
    if (is_new)
        known->second = measured(reshards.placement(number));
    return known->second;
}

PlacedVolume TransferBounds::measured(const sharding::Placement &placement) const {
    PlacedVolume result;
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        const Lengths lengths = lengths_of(dimension, mesh_);
        result.largest.push_back(lengths.largest);
        result.average *= lengths.sum / lengths.count; // no axis cuts two dimensions
        result.elements *= static_cast<double>(dimension.extent);
    }
    result.partial = placement.partial;
    result.stored = !placement.stored.empty();
    return result;
}

cost::Seconds TransferBounds::seconds(const PlacedVolume &from, const PlacedVolume &to, int element_bytes) const {
    if (from.stored || to.stored)
        return {};
    double arriving = to.average;
    if (from.partial == to.partial) {
        double kept = 1;
        for (std::size_t d = 0; d < to.largest.size(); ++d)
            kept *= std::min(from.largest[d], to.largest[d]);
        arriving -= kept;
    } else {
        double going = 1; // addends of one sum
        double staying = 1;
        for (int axis : from.partial)
            (std::binary_search(to.partial.begin(), to.partial.end(), axis) ? staying : going) *= mesh_.sizes[axis];
        arriving += from.elements * staying * (going - 2) / ranks_;
    }
    return cost::Seconds(std::max(0.0, arriving) * element_bytes / bytes_per_second_);
}

} // namespace planc::plan
