#include "cost/collectives/transfer_price.h"

#include <algorithm>
#include <cstdlib>

namespace planc::cost {

namespace {

/// Which axes the messages of a rank cross.
struct Ways {
    std::vector<int> axes;
    bool neighbours = true; ///< each message goes to the next rank along the one axis

    void add(const std::vector<int> &from, const std::vector<int> &to) {
        for (std::size_t axis = 0; axis < from.size(); ++axis) {
            const int distance = std::abs(from[axis] - to[axis]);
            neighbours &= distance <= 1;
            if (distance > 0 && std::ranges::find(axes, static_cast<int>(axis)) == axes.end())
                axes.push_back(static_cast<int>(axis));
        }
        neighbours &= axes.size() == 1;
    }
};

std::int64_t elements(const std::vector<planrt::Transfer> &transfers) {
    std::int64_t sum = 0;
    for (const planrt::Transfer &each : transfers)
        sum += planrt::volume(each.box);
    return sum;
}

} // namespace

Price transfer_price(const planrt::RolePlacement &from, const planrt::RolePlacement &to, int element_bytes,
                     const planrt::Mesh &mesh, int rank, const Machine &machine) {
    const planrt::Exchange moved = planrt::exchange(from, to, mesh, rank);
    if (moved.sends.empty() && moved.receives.empty())
        return {};
    Ways ways;
    for (const auto *transfers : {&moved.sends, &moved.receives})
        for (const planrt::Transfer &each : *transfers)
            ways.add(mesh.coordinates(rank), mesh.coordinates(each.peer));
    std::sort(ways.axes.begin(), ways.axes.end());
    const auto most = static_cast<double>(std::max(elements(moved.sends), elements(moved.receives)));
    const Group between =
        mesh.is_even() ? group(ways.axes, mesh.sizes, machine) : group_between(mesh, from.role, to.role, machine);
    // Messages to several ranks are on their way at the same time: one latency.
    return point_to_point(between, ways.neighbours, 1, Bytes(most * element_bytes));
}

} // namespace planc::cost
