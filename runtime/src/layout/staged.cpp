#include <planrt/scratch.h>
#include <planrt/staged.h>

#include <algorithm>
#include <utility>

namespace planrt {

namespace {

/// The only dimension along which the rank needs more than it has; nothing if there are several, or none.
std::optional<std::size_t> gathered_dimension(const Placement &from, const Placement &to) {
    std::optional<std::size_t> found;
    for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
        const DimensionPlacement &before = from.dimensions[d];
        const DimensionPlacement &after = to.dimensions[d];
        const bool grows = after.window || before.axes.size() > after.axes.size();
        if (before.window || (after.window && !after.is_sparse()) || (grows && found))
            return std::nullopt;
        if (grows)
            found = d;
    }
    return found;
}

/// Whether a rank needs rows of the whole dimension, its own among them.
bool needs_of_all(const DimensionPlacement &to) {
    return to.is_sparse() && std::cmp_equal(to.axes.size(), to.window->row_cuts);
}

class Stages {
  public:
    Stages(CollectiveKind kind, std::span<const int> axes, const Placement &from, const Placement &to, const Mesh &mesh,
           int rank)
        : passes_on_(kind == CollectiveKind::all_gather), from_(from), to_(to), mesh_(mesh) {
        members_ = mesh.group(rank, axes);
        std::ranges::sort(members_); // as in Procedure
        own_ = static_cast<int>(std::ranges::find(members_, rank) - members_.begin());
    }

    std::optional<StagedGather> find(std::size_t dimension) const {
        StagedGather result{dimension, passes_on_, has(0), {}};
        for (int k = 0; k + 1 < static_cast<int>(members_.size()); ++k) {
            const int to = passes_on_ ? 1 : k + 1;
            StagedGather::Round round{member(to), passes_on_ ? has(-k) : needed_of(to, 0), member(-to), {}};
            round.received = passes_on_ ? has(-1 - k) : needed_of(0, -to);
            if (!is_whole(round.received, wants(0), dimension) || !is_whole(round.sent, wants(to), dimension))
                return std::nullopt;
            result.rounds.push_back(std::move(round));
        }
        if (result.rounds.empty() || !is_whole(result.own, wants(0), dimension)) // read where it is
            return std::nullopt;
        return result;
    }

  private:
    /// The member so many further on.
    [[nodiscard]] int member(int further) const {
        const int size = static_cast<int>(members_.size());
        return members_[static_cast<std::size_t>(((own_ + further) % size + size) % size)];
    }
    [[nodiscard]] Box has(int further) const { return local_box(from_, mesh_, member(further)); }
    [[nodiscard]] Box wants(int further) const { return local_box(to_, mesh_, member(further)); }
    /// What one member needs of another.
    [[nodiscard]] Box needed_of(int taker, int owner) const { return intersect(wants(taker), has(owner)); }

    /// Whether the piece has all that is wanted along the other dimensions.
    static bool is_whole(const Box &piece, const Box &wanted, std::size_t dimension) {
        for (std::size_t d = 0; d < piece.size(); ++d)
            if (d != dimension && piece[d].size() != wanted[d].size())
                return false;
        return true;
    }

    bool passes_on_;
    const Placement &from_;
    const Placement &to_;
    const Mesh &mesh_;
    std::vector<int> members_;
    int own_;
};

/// Axes along which the operand's dimension is cut and pieces therefore lie; of an all-gather, those that it removes.
std::vector<int> group_of(CollectiveKind kind, std::span<const int> axes, const DimensionPlacement &before) {
    if (kind == CollectiveKind::all_gather)
        return {axes.begin(), axes.end()};
    return {before.axes.begin(), before.axes.end()};
}

} // namespace

std::optional<StagedGather> staged_gather(CollectiveKind kind, std::span<const int> axes, const Placement &from,
                                          const Placement &to, const Mesh &mesh, int rank) {
    const bool gathers = kind == CollectiveKind::all_gather || kind == CollectiveKind::exchange;
    if (!gathers || is_flat(from, to) || !from.partial.empty() || !to.partial.empty() || !mesh.is_even())
        return std::nullopt;
    const std::optional<std::size_t> dimension = gathered_dimension(from, to);
    if (!dimension || (kind == CollectiveKind::exchange && !needs_of_all(to.dimensions[*dimension])))
        return std::nullopt;
    const std::vector<int> group = group_of(kind, axes, from.dimensions[*dimension]);
    return Stages(kind, group, from, to, mesh, rank).find(*dimension);
}

std::optional<StagedMemory> staged_memory(CollectiveKind kind, std::span<const int> axes, const Placement &from,
                                          const Placement &to, const Mesh &mesh) {
    StagedMemory result;
    const int ranks = kind == CollectiveKind::all_gather ? 1 : mesh.ranks(); // the first one has the largest blocks
    for (int rank = 0; rank < ranks; ++rank) {
        const std::optional<StagedGather> gather = staged_gather(kind, axes, from, to, mesh, rank);
        if (!gather)
            return std::nullopt;
        result.pieces = std::min<std::int64_t>(2, static_cast<std::int64_t>(gather->rounds.size()));
        for (const StagedGather::Round &round : gather->rounds) {
            result.piece =
                std::max({result.piece, volume(round.received), gather->passes_on ? volume(gather->own) : 0});
            if (!gather->passes_on && !is_one_run(round.sent, gather->own))
                result.scratch = std::max(result.scratch, volume(round.sent));
        }
    }
    return result;
}

} // namespace planrt
