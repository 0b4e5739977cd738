#include "sharding/placement.h"

#include <algorithm>
#include <span>
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

Placement summed(Placement addends) {
    for (planrt::DimensionPlacement &dimension : addends.dimensions)
        if (dimension.window && dimension.window->addends) {
            std::rotate(dimension.axes.begin(), dimension.axes.begin() + dimension.window->row_cuts,
                        dimension.axes.end());
            dimension.window.reset();
        }
    return addends;
}

bool contains(std::span<const int> axes, int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Placement sent_placement(Placement origin) {
    origin = summed(std::move(origin));
    origin.stored.clear();
    const std::vector<int> axes = std::exchange(origin.partial, {});
    origin.reduction = Reduction::sum;
    if (axes.empty() || origin.dimensions.empty())
        return origin;
    const auto rank = [](const planrt::DimensionPlacement &dimension) {
        return std::pair(dimension.axes.empty(), dimension.extent);
    };
    const auto into = std::max_element(origin.dimensions.begin(), origin.dimensions.end(),
                                       [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    for (const int axis : axes)
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

namespace {

class Hash {
  public:
    void add(std::int64_t number) { value_ = (value_ ^ static_cast<std::size_t>(number)) * 0x9e3779b97f4a7c15U; }
    void add(std::span<const int> numbers) {
        add(static_cast<std::int64_t>(numbers.size()));
        for (int number : numbers)
            add(number);
    }
    [[nodiscard]] std::size_t value() const { return value_ ^ value_ >> 32U; }

  private:
    std::size_t value_ = 0;
};

} // namespace

/// Windows of one dimension differ in few numbers.
std::size_t hash(const Placement &placement) {
    Hash hash;
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        hash.add(dimension.extent);
        hash.add(dimension.axes);
        if (const auto &window = dimension.window)
            for (const std::int64_t number : {window->positions, window->kernel, window->padding,
                                              std::int64_t{window->matrix}, std::int64_t{window->addends}})
                hash.add(number);
    }
    hash.add(placement.partial);
    hash.add(placement.stored);
    return hash.value();
}

} // namespace planc::sharding
