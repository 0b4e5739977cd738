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

TransferPrices::TransferPrices(const planrt::Mesh &mesh, const Machine &machine)
    : mesh_(mesh), machine_(machine),
      has_dimensions_(
          std::ranges::any_of(machine.levels, [](const Level &level) { return !level.link.shape.empty(); })) {}

const Group &TransferPrices::between(const planrt::Role &from, const planrt::Role &to, bool alike) {
    const auto [known, is_new] =
        between_.try_emplace({from.rank_of(mesh_, 0), to.rank_of(mesh_, 0), static_cast<int>(alike)});
    if (is_new)
        known->second = group_between(mesh_, from, to, machine_, alike);
    return known->second;
}

const Group &TransferPrices::over(const std::vector<int> &axes) {
    const auto [known, is_new] = over_.try_emplace(axes);
    if (is_new)
        known->second = group(axes, mesh_.sizes, machine_);
    return known->second;
}

std::vector<double> TransferPrices::links(const planrt::Role &from, const planrt::Role &to) {
    std::vector<double> links;
    if (!has_groups_between(from, to))
        return links;
    for (const bool alike : {true, false}) {
        for (const GroupLevel &level : between(from, to, alike).levels)
            links.push_back(level.taken ? level.all : -level.all);
        links.push_back(0);
    }
    return links;
}

bool TransferPrices::has_groups_between(const planrt::Role &from, const planrt::Role &to) const {
    return !mesh_.is_even() || (!has_dimensions_ && from.rank_of(mesh_, 0) != to.rank_of(mesh_, 0));
}

TransferPrice TransferPrices::operator()(const planrt::RolePlacement &from, const planrt::RolePlacement &to,
                                         int element_bytes, int rank) {
    const planrt::Exchange moved = planrt::exchange(from, to, mesh_, rank);
    if (moved.sends.empty() && moved.receives.empty())
        return {};
    Ways ways;
    for (const auto *transfers : {&moved.sends, &moved.receives})
        for (const planrt::Transfer &each : *transfers)
            ways.add(mesh_.coordinates(rank), mesh_.coordinates(each.peer));
    std::sort(ways.axes.begin(), ways.axes.end());
    const auto most = static_cast<double>(std::max(elements(moved.sends), elements(moved.receives)));
    const bool alike = mesh_.is_even() && ways.axes.size() == 1; // the pipeline's
    const Group &group = has_groups_between(from.role, to.role) ? between(from.role, to.role, alike) : over(ways.axes);
    // Messages to several ranks are on their way at the same time: one latency.
    return {point_to_point(group, ways.neighbours, 1, Bytes(most * element_bytes)), group.stays_inside(),
            group.leaves()};
}

} // namespace planc::cost
