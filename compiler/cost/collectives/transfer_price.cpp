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

const Group &TransferPrices::between(const std::vector<int> &axes, const planrt::Role &from, const planrt::Role &to) {
    const bool even = mesh_.is_even();
    const std::vector<int> key = even ? axes : std::vector{from.rank_of(mesh_, 0), to.rank_of(mesh_, 0)};
    const auto known = groups_.find(key);
    if (known != groups_.end())
        return known->second;
    return groups_.emplace(key, even ? group(axes, mesh_.sizes, machine_) : group_between(mesh_, from, to, machine_))
        .first->second;
}

Price TransferPrices::operator()(const planrt::RolePlacement &from, const planrt::RolePlacement &to, int element_bytes,
                                 int rank) {
    const planrt::Exchange moved = planrt::exchange(from, to, mesh_, rank);
    if (moved.sends.empty() && moved.receives.empty())
        return {};
    Ways ways;
    for (const auto *transfers : {&moved.sends, &moved.receives})
        for (const planrt::Transfer &each : *transfers)
            ways.add(mesh_.coordinates(rank), mesh_.coordinates(each.peer));
    std::sort(ways.axes.begin(), ways.axes.end());
    const auto most = static_cast<double>(std::max(elements(moved.sends), elements(moved.receives)));
    // Messages to several ranks are on their way at the same time: one latency.
    return point_to_point(between(ways.axes, from.role, to.role), ways.neighbours, 1, Bytes(most * element_bytes));
}

} // namespace planc::cost
