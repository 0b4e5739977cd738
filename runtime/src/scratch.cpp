#include <planrt/scratch.h>

#include <algorithm>

namespace planrt {

namespace {

std::int64_t exchanged_elements(const Placement &from, const Placement &to, const Mesh &mesh, int rank) {
    const Exchange moved = exchange(from, to, mesh, rank);
    std::int64_t elements = 0;
    for (const Transfer &send : moved.sends)
        elements += volume(send.box);
    for (const Transfer &receive : moved.receives)
        elements += volume(receive.box);
    return elements;
}

} // namespace

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
        return volume(local_box(from, mesh, rank));
    case CollectiveKind::all_gather:
        return volume(local_box(to, mesh, rank));
    case CollectiveKind::all_to_all: // packs no more than the blocks themselves
        return volume(local_box(from, mesh, rank)) + volume(local_box(to, mesh, rank));
    case CollectiveKind::exchange:
        return exchanged_elements(from, to, mesh, rank);
    }
    return 0;
}

std::int64_t largest_scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                      const Mesh &mesh) {
    // Blocks are largest in the first rank, except that what an exchange sends depends on who asks.
    if (kind == CollectiveKind::exchange) {
        std::int64_t largest = 0;
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            largest = std::max(largest, scratch_elements(kind, from, to, mesh, rank));
        return largest;
    }
    if (kind == CollectiveKind::all_to_all)
        return largest_volume(from, mesh) + largest_volume(to, mesh);
    return scratch_elements(kind, from, to, mesh, 0);
}

} // namespace planrt
