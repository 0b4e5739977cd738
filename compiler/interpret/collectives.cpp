#include "interpret/collectives.h"

#include <algorithm>

namespace planc::interpret {

namespace {

using planrt::Box;
using planrt::CollectiveKind;
using planrt::Mesh;
using planrt::Placement;
using planrt::Reduction;

double combine(Reduction reduction, double a, double b) {
    switch (reduction) {
    case Reduction::sum:
        return a + b;
    case Reduction::max:
        return std::max(a, b);
    case Reduction::min:
        return std::min(a, b);
    }
    return a;
}

Box outputs(const Placement &placement, const Mesh &mesh, std::size_t rank) {
    return planrt::local_box(placement, mesh, static_cast<int>(rank));
}

Moved slice(const Blocks &from, const Placement &to, const Mesh &mesh) {
    Moved moved;
    for (std::size_t rank = 0; rank < from.size(); ++rank) {
        moved.blocks.push_back(make_block(outputs(to, mesh, rank)));
        copy(from[rank], moved.blocks.back().box, moved.blocks.back());
        moved.traffic.emplace_back();
    }
    return moved;
}

/// Every rank gets the blocks of its group.
Moved all_gather(const std::vector<int> &axes, const Blocks &from, const Placement &to, const Mesh &mesh) {
    Moved moved;
    for (std::size_t rank = 0; rank < from.size(); ++rank) {
        Block block = make_block(outputs(to, mesh, rank));
        planrt::Traffic traffic{1, 0};
        for (int member : mesh.group(static_cast<int>(rank), axes)) {
            const Block &message = from[static_cast<std::size_t>(member)];
            copy(message, message.box, block);
            traffic.elements += planrt::volume(message.box);
        }
        moved.blocks.push_back(std::move(block));
        moved.traffic.push_back(traffic);
    }
    return moved;
}

/// Every rank gets its box of the group's blocks, combined in the order of the group: equal on all replicas.
Moved reduce(const std::vector<int> &axes, const Blocks &from, const Placement &from_placement, const Placement &to,
             const Mesh &mesh) {
    Moved moved;
    for (std::size_t rank = 0; rank < from.size(); ++rank) {
        Block block = make_block(outputs(to, mesh, rank));
        bool first = true;
        for (int member : mesh.group(static_cast<int>(rank), axes)) {
            const Block &message = from[static_cast<std::size_t>(member)];
            for_each_point(block.box, [&](const std::vector<std::int64_t> &point) {
                double &sum = block.values[offset(block, point)];
                const double addend = message.values[offset(message, point)];
                sum = first ? addend : combine(from_placement.reduction, sum, addend);
            });
            first = false;
        }
        moved.blocks.push_back(std::move(block));
        moved.traffic.push_back({1, planrt::volume(from[rank].box)});
    }
    return moved;
}

/// Box intersections, one message from rank to rank.
Moved exchange(CollectiveKind kind, const Blocks &from, const Placement &from_placement, const Placement &to,
               const Mesh &mesh) {
    Moved moved;
    for (std::size_t rank = 0; rank < from.size(); ++rank)
        moved.blocks.push_back(make_block(outputs(to, mesh, rank)));
    for (std::size_t rank = 0; rank < from.size(); ++rank) {
        const auto plan = planrt::exchange(from_placement, to, mesh, static_cast<int>(rank));
        for (const Box &kept : plan.kept)
            copy(from[rank], kept, moved.blocks[rank]);
        planrt::Traffic traffic;
        for (const planrt::Transfer &message : plan.sends) {
            copy(from[rank], message.box, moved.blocks[static_cast<std::size_t>(message.peer)]);
            traffic.elements += planrt::volume(message.box);
            traffic.calls += planrt::volume(message.box) > 0 ? 1 : 0;
        }
        if (kind == CollectiveKind::all_to_all)
            traffic.calls = 1;
        moved.traffic.push_back(traffic);
    }
    return moved;
}

} // namespace

Moved move(CollectiveKind kind, const std::vector<int> &axes, const Blocks &from, const Placement &from_placement,
           const Placement &to_placement, const Mesh &mesh) {
    switch (kind) {
    case CollectiveKind::slice:
        return slice(from, to_placement, mesh);
    case CollectiveKind::all_gather:
        return all_gather(axes, from, to_placement, mesh);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce:
        return reduce(axes, from, from_placement, to_placement, mesh);
    case CollectiveKind::all_to_all:
    case CollectiveKind::exchange:
        return exchange(kind, from, from_placement, to_placement, mesh);
    }
    return {};
}

} // namespace planc::interpret
