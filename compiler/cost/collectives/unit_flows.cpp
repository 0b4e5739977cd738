#include "cost/collectives/unit_flows.h"

#include "cost/collectives/uneven_group.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace planc::cost {

namespace {

constexpr std::int64_t most_pairs = std::int64_t{1} << 18;

/// What ranks send to those in their own unit, of one level.
struct Inside {
    std::int64_t unit = 1; ///< its ranks
    std::vector<planrt::Traffic> sent;
    std::vector<std::int64_t> received;
};

/// The elements of what one rank has that another needs, by rank.
class Pairs {
  public:
    Pairs(const sharding::Step &step, const sharding::Mesh &mesh) {
        std::vector<bool> cuts_from(mesh.sizes.size(), false);
        for (const planrt::DimensionPlacement &dimension : step.from.dimensions)
            for (const int axis : dimension.axes)
                cuts_from[static_cast<std::size_t>(axis)] = true;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            held_.push_back(planrt::local_box(step.from, mesh, rank));
            needed_.push_back(planrt::local_box(step.to, mesh, rank));
            std::vector<int> group = mesh.coordinates(rank);
            for (std::size_t axis = 0; axis < group.size(); ++axis)
                group[axis] = cuts_from[axis] ? 0 : group[axis];
            group_.push_back(mesh.rank(group));
        }
    }
    [[nodiscard]] std::int64_t ranks() const { return std::ssize(held_); }
    /// 0 from a rank that is in another group.
    [[nodiscard]] std::int64_t elements(std::size_t sender, std::size_t receiver) const {
        if (sender == receiver || group_[sender] != group_[receiver])
            return 0;
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < held_[sender].size() && elements > 0; ++d)
            elements *= planrt::intersect(held_[sender][d], needed_[receiver][d]).size();
        return elements;
    }

  private:
    std::vector<planrt::Box> held_;
    std::vector<planrt::Box> needed_;
    std::vector<int> group_; ///< its first rank
};

/// Of the units of these sizes, each a part of the next one.
std::vector<Inside> inside_units(const Pairs &pairs, std::span<const std::int64_t> units) {
    const auto ranks = static_cast<std::size_t>(pairs.ranks());
    std::vector<Inside> inside;
    for (const std::int64_t unit : units)
        inside.push_back({unit, std::vector<planrt::Traffic>(ranks), std::vector<std::int64_t>(ranks)});
    const auto largest = static_cast<std::size_t>(units.back());
    for (std::size_t sender = 0; sender < ranks; ++sender) {
        const std::size_t first = sender / largest * largest;
        for (std::size_t receiver = first; receiver < std::min(first + largest, ranks); ++receiver) {
            const std::int64_t elements = pairs.elements(sender, receiver);
            if (elements == 0)
                continue;
            for (Inside &each : inside) {
                const auto unit = static_cast<std::size_t>(each.unit);
                if (sender / unit != receiver / unit)
                    continue;
                ++each.sent[sender].calls;
                each.sent[sender].elements += elements;
                each.received[receiver] += elements;
            }
        }
    }
    return inside;
}

/// Adds what passes the links of the units, `links` to each: what all ranks of a unit send or receive, or what the rank
/// would wait for if the others sent as much. A message takes one of the links.
void add_outside(std::vector<Flow> &flows, const Inside &inside, std::int64_t links) {
    const auto unit = static_cast<std::size_t>(inside.unit);
    for (std::size_t first = 0; first < flows.size(); first += unit) {
        const std::size_t end = std::min(first + unit, flows.size());
        const auto ranks = static_cast<std::int64_t>(end - first);
        std::int64_t all_sent = 0;
        std::int64_t all_received = 0;
        for (std::size_t rank = first; rank < end; ++rank) {
            all_sent += flows[rank].sent.elements - inside.sent[rank].elements;
            all_received += flows[rank].received - inside.received[rank];
        }
        for (std::size_t rank = first; rank < end; ++rank) {
            const std::int64_t sent = flows[rank].sent.elements - inside.sent[rank].elements;
            const std::int64_t received = flows[rank].received - inside.received[rank];
            const std::int64_t messages = std::max<std::int64_t>(1, flows[rank].sent.calls - inside.sent[rank].calls);
            flows[rank].through.push_back(std::max(
                {std::min(ranks * sent, all_sent), std::min(ranks * received, all_received), links * sent / messages}));
        }
    }
}

bool has_unequal_messages(const sharding::Step &step, const Group &group) {
    if (step.kind != sharding::CollectiveKind::exchange || planrt::has_halos(step.to))
        return false;
    return !group.even || planrt::is_windowed(step.to) || planrt::has_addends(step.from);
}

/// The ranks of a node, …: of all units that are not the whole mesh.
std::vector<std::int64_t> units_within(const sharding::Mesh &mesh, const Machine &machine) {
    std::vector<std::int64_t> units = unit_sizes(machine);
    units.erase(units.begin()); // of one rank
    std::erase_if(units, [&](std::int64_t unit) { return unit >= mesh.ranks(); });
    return units;
}

} // namespace

bool counts_units(const sharding::Step &step, const Group &group, const sharding::Mesh &mesh,
                  const sharding::Mesh &whole, const Machine &machine) {
    const auto has_dimensions = [](const Level &level) { return !level.link.shape.empty(); };
    if (!has_unequal_messages(step, group) || mesh != whole || std::ranges::any_of(machine.levels, has_dimensions))
        return false;
    const std::vector<std::int64_t> units = units_within(mesh, machine);
    return !units.empty() && mesh.ranks() * units.back() <= most_pairs;
}

void count_unit_flows(std::vector<Flow> &flows, const sharding::Step &step, const sharding::Mesh &mesh,
                      const Machine &machine) {
    const std::vector<std::int64_t> units = units_within(mesh, machine);
    const std::vector<Inside> inside = inside_units(Pairs(step, mesh), units);
    for (std::size_t rank = 0; rank < flows.size(); ++rank)
        flows[rank].through = {std::max(inside.front().sent[rank].elements, inside.front().received[rank])};
    for (std::size_t level = 0; level < inside.size(); ++level)
        add_outside(flows, inside[level], machine.levels[level + 1].link.count);
}

Seconds seconds_through_units(const Flow &flow, int element_bytes, const Machine &machine) {
    double fastest = 0;
    for (const Level &level : machine.levels)
        fastest = std::max(fastest, level.link.bytes_per_second);
    double seconds = static_cast<double>(std::max(flow.sent.elements, flow.received)) * element_bytes / fastest;
    for (std::size_t level = 0; level < flow.through.size(); ++level) {
        const Link &link = machine.levels[level].link;
        const double links = level > 0 ? static_cast<double>(link.count) : 1;
        seconds = std::max(seconds,
                           static_cast<double>(flow.through[level]) * element_bytes / (links * link.bytes_per_second));
    }
    return Seconds(seconds);
}

} // namespace planc::cost
