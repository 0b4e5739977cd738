#include <planrt/scratch.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace planrt {

namespace {

/// The axes that cut a dimension, by number.
std::vector<bool> cutting(const Placement &placement, const Mesh &mesh) {
    std::vector<bool> result(mesh.sizes.size(), false);
    for (const DimensionPlacement &dimension : placement.dimensions)
        for (int axis : dimension.axes)
            result[axis] = true;
    return result;
}

/// Whether each rank's block is needed by exactly one rank.
bool is_permutation(const Placement &from, const Placement &to, const Mesh &mesh) {
    return cutting(from, mesh) == cutting(to, mesh) && !is_windowed(to) && !is_windowed(from);
}

/// All elements that the rank sends and receives.
std::int64_t moved_elements(const Placement &from, const Placement &to, const Mesh &mesh, int rank) {
    if (is_permutation(from, to, mesh)) {
        const Box has = local_box(from, mesh, rank);
        const Box wants = local_box(to, mesh, rank);
        return volume(has) + volume(wants) - 2 * volume(intersect(has, wants));
    }
    const Exchange moved = exchange(from, to, mesh, rank);
    std::int64_t elements = 0;
    for (const std::vector<Transfer> *transfers : {&moved.sends, &moved.receives})
        for (const Transfer &transfer : *transfers)
            elements += volume(transfer.box);
    return elements;
}

/// The moved elements that do not form one run in the rank's buffers, and so must be packed, and those that are added
/// when they have arrived.
std::int64_t packed_elements(const Exchange &moved, const Box &has, const Box &wants, bool adds) {
    std::int64_t elements = 0;
    for (const Transfer &send : moved.sends)
        elements += is_one_run(send.box, has) ? 0 : volume(send.box);
    for (const Transfer &receive : moved.receives)
        elements += !adds && is_one_run(receive.box, wants) ? 0 : volume(receive.box);
    return elements;
}

std::int64_t packed_elements(const Placement &from, const Placement &to, const Mesh &mesh, int rank) {
    return packed_elements(exchange(from, to, mesh, rank), local_box(from, mesh, rank), local_box(to, mesh, rank),
                           has_addends(from));
}

std::int64_t parts(const AxisList &axes, const Mesh &mesh) {
    std::int64_t product = 1;
    for (const int axis : axes)
        product *= mesh.sizes[axis];
    return product;
}

/// Whether each block of one dimension lies within a block of the other.
bool lies_within(const DimensionPlacement &fine, const DimensionPlacement &coarse, const Mesh &mesh) {
    if (coarse.axes.size() <= fine.axes.size() && std::equal(coarse.axes.begin(), coarse.axes.end(), fine.axes.begin()))
        return true;
    const std::int64_t many = parts(fine.axes, mesh);
    return fine.extent % many == 0 && many % parts(coarse.axes, mesh) == 0;
}

/// Whether the intersection of any block of `cut` with any block of `other` is contiguous in the former.
bool are_runs(const Placement &cut, const Placement &other, const Mesh &mesh) {
    for (std::size_t d = 1; d < cut.dimensions.size(); ++d)
        if (!lies_within(cut.dimensions[d], other.dimensions[d], mesh))
            return false;
    return true;
}

/// The maximum number of ranks that take an element from the same rank, including itself: those along axes that split
/// only the source. `to` has no windows.
std::int64_t takers(const Placement &from, const Placement &to, const Mesh &mesh) {
    const std::vector<bool> before = cutting(from, mesh);
    const std::vector<bool> after = cutting(to, mesh);
    std::int64_t ranks = 1;
    for (std::size_t axis = 0; axis < before.size(); ++axis)
        ranks *= before[axis] && !after[axis] ? mesh.sizes[axis] : 1;
    return ranks;
}

/// The maximum over the ranks of an exchange without windows. Those that may pack most are examined first, so there are
/// hardly ever many.
std::int64_t most_packed_elements(const Placement &from, const Placement &to, const Mesh &mesh,
                                  const std::vector<int> &ranks) {
    const std::int64_t often = are_runs(from, to, mesh) ? 0 : takers(from, to, mesh);
    const bool packs_receives = !are_runs(to, from, mesh);
    std::vector<std::pair<std::int64_t, int>> at_most;
    for (const int rank : ranks) {
        const Box has = local_box(from, mesh, rank);
        const Box wants = local_box(to, mesh, rank);
        const std::int64_t kept = volume(intersect(has, wants));
        at_most.emplace_back((often > 0 ? often * volume(has) - kept : 0) + (packs_receives ? volume(wants) - kept : 0),
                             rank);
    }
    std::sort(at_most.begin(), at_most.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::int64_t most = 0;
    for (auto each = at_most.begin(); each != at_most.end() && each->first > most; ++each)
        most = std::max(most, packed_elements(from, to, mesh, each->second));
    return most;
}

/// The axes along which ranks have different exchanges. Along all others, only the position of the boxes differs: these
/// axes split nothing, or they split a dimension first, into equal blocks, before and after.
std::vector<int> telling_axes(const Placement &from, const Placement &to, const Mesh &mesh) {
    std::vector<bool> tells(mesh.sizes.size(), false);
    for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
        const AxisList &before = from.dimensions[d].axes;
        const AxisList &after = to.dimensions[d].axes;
        std::int64_t rest = from.dimensions[d].extent;
        std::size_t alike = 0;
        while (alike < std::min(before.size(), after.size()) && before[alike] == after[alike] &&
               !to.dimensions[d].window && !from.dimensions[d].window && rest % mesh.sizes[before[alike]] == 0)
            rest /= mesh.sizes[before[alike++]];
        for (const AxisList *axes : {&before, &after})
            for (std::size_t i = alike; i < axes->size(); ++i)
                tells[(*axes)[i]] = true;
    }
    std::vector<int> result;
    for (std::size_t axis = 0; axis < tells.size(); ++axis)
        if (tells[axis])
            result.push_back(static_cast<int>(axis));
    return result;
}

/// Whether the blocks under `cut`, member after member, are the block under `whole` in memory order: axes are removed
/// from the cuts of one dimension only, and the block has a single index before it.
bool blocks_follow_one_another(const Placement &cut, const Placement &whole, const Mesh &mesh, int rank) {
    const Box box = local_box(whole, mesh, rank);
    std::int64_t before = 1;
    int differing = 0;
    for (std::size_t d = 0; d < box.size(); ++d) {
        if (cut.dimensions[d] == whole.dimensions[d]) {
            before *= differing == 0 ? box[d].size() : 1;
            continue;
        }
        ++differing;
    }
    return differing == 0 || (differing == 1 && before <= 1);
}

} // namespace

bool is_one_run(const Box &part, const Box &whole) {
    bool all_behind = true; // of the dimensions behind this one
    for (std::size_t d = part.size(); d-- > 0;) {
        if (part[d].size() != 1 && (!all_behind || !is_run(part[d], whole[d])))
            return false;
        all_behind = all_behind && part[d].size() == whole[d].size();
    }
    return true;
}

std::int64_t scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to, const Mesh &mesh,
                              int rank) {
    if (kind == CollectiveKind::all_reduce)
        return local_volume(from, mesh, rank);
    if (!from.stored.empty() || !to.stored.empty()) // flat: ranges lie where they belong
        return 0;
    switch (kind) {
    case CollectiveKind::slice:
    case CollectiveKind::all_reduce:
        return 0;
    case CollectiveKind::reduce_scatter:
        return blocks_follow_one_another(to, from, mesh, rank) ? 0 : local_volume(from, mesh, rank);
    case CollectiveKind::all_gather:
        return blocks_follow_one_another(from, to, mesh, rank) ? 0 : local_volume(to, mesh, rank);
    case CollectiveKind::all_to_all:
        return moved_elements(from, to, mesh, rank);
    case CollectiveKind::exchange:
        return packed_elements(from, to, mesh, rank);
    }
    return 0;
}

std::int64_t largest_scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                      const Mesh &mesh) {
    // The first rank has the largest blocks, but what an exchange moves depends on the receiving ranks.
    if (kind == CollectiveKind::exchange || kind == CollectiveKind::all_to_all) {
        const std::vector<int> ranks = mesh.group(0, telling_axes(from, to, mesh));
        if (kind == CollectiveKind::exchange && !is_windowed(to) && !is_windowed(from))
            return most_packed_elements(from, to, mesh, ranks);
        std::int64_t largest = 0;
        for (const int rank : ranks)
            largest = std::max(largest, scratch_elements(kind, from, to, mesh, rank));
        return largest;
    }
    return scratch_elements(kind, from, to, mesh, 0);
}

std::int64_t scratch_elements(CollectiveKind kind, const Method &method, std::span<const int> axes,
                              std::span<const MovedTensor> tensors, const Mesh &mesh, int rank) {
    const Procedure here = procedure(kind, method, axes, tensors, mesh, rank);
    const bool in_result = (kind == CollectiveKind::all_reduce && tensors.size() == 1) ||
                           (kind == CollectiveKind::all_gather &&
                            scratch_elements(kind, tensors.front().from, tensors.front().to, mesh, rank) == 0);
    return (in_result ? 0 : here.vector) + largest_combined(here.rounds);
}

std::int64_t largest_scratch_elements(CollectiveKind kind, const Method &method, std::span<const int> axes,
                                      std::span<const MovedTensor> tensors, const Mesh &mesh) {
    std::int64_t largest = 0;
    for (const int rank : mesh.group(0, axes)) // blocks are largest in the first group
        largest = std::max(largest, scratch_elements(kind, method, axes, tensors, mesh, rank));
    return largest;
}

std::int64_t scratch_elements(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank) {
    const auto own = [&](const RolePlacement &placed) {
        const int within = placed.role.rank_within(mesh, rank);
        return within < 0 ? Box() : local_box(placed.placement, placed.role.mesh(mesh), within);
    };
    return packed_elements(exchange(from, to, mesh, rank), own(from), own(to), false);
}

} // namespace planrt
