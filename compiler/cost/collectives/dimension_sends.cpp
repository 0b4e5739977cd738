#include "cost/collectives/dimension_sends.h"

#include <algorithm>
#include <span>
#include <utility>

namespace planc::cost {

using planrt::Range;
using sharding::Mesh;

namespace {

bool contains(std::span<const int> axes, int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::int64_t overlap(Range a, Range b) {
    return planrt::intersect(a, b).size();
}

/// The number of the balanced block of `whole` that contains element `at`.
int block_of(Range whole, int parts, std::int64_t at) {
    const std::int64_t size = whole.size() / parts;
    const std::int64_t larger = whole.size() % parts;
    const std::int64_t offset = at - whole.begin;
    const std::int64_t in_larger = larger * (size + 1);
    return static_cast<int>(offset < in_larger ? offset / (size + 1) : larger + (offset - in_larger) / size);
}

/// A table with a place for every coordinate of the axes that split the dimension before or after.
DimensionSends empty_sends(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to,
                           const Mesh &mesh) {
    DimensionSends sends;
    std::size_t size = 1;
    sends.stride.assign(mesh.sizes.size(), 0);
    for (std::size_t axis = 0; axis < sends.stride.size(); ++axis)
        if (contains(from.axes, static_cast<int>(axis)) || contains(to.axes, static_cast<int>(axis))) {
            sends.stride[axis] = size;
            size *= static_cast<std::size_t>(mesh.sizes[axis]);
        }
    sends.entries.resize(size);
    return sends;
}

constexpr double part_of_block = 0.1; ///< the time of a part of a list, in lists

/// For dimensions whose ranges are blocks, or what windows touch: looks for the peers of each block of `from`.
class TabulateSends {
  public:
    /// `cuts_from[axis]`: the axis splits some dimension of the exchange's `from`.
    TabulateSends(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to, const Mesh &mesh,
                  const std::vector<bool> &cuts_from)
        : from_(from), to_(to), mesh_(mesh), cuts_from_(cuts_from), coordinates_(mesh.sizes.size(), 0) {}

    DimensionSends run() {
        sends_ = empty_sends(from_, to_, mesh_);
        fill(0);
        return std::move(sends_);
    }

  private:
    void fill(std::size_t axis) {
        if (axis == coordinates_.size()) {
            const Range held = range(from_);
            DimensionSends::Entry &entry = sends_.at(coordinates_);
            const Range needed = range(to_);
            entry.kept = overlap(held, needed);
            entry.needed = needed.size();
            entry.wanted = wanted(0, to_.whole(), held);
            return;
        }
        const int size = sends_.stride[axis] > 0 ? mesh_.sizes[axis] : 1;
        for (coordinates_[axis] = 0; coordinates_[axis] < size; ++coordinates_[axis])
            fill(axis + 1);
        coordinates_[axis] = 0;
    }

    [[nodiscard]] Range range(const planrt::DimensionPlacement &dimension) const {
        planrt::CutBlock cut = dimension.whole();
        for (int axis : dimension.axes)
            cut = planrt::cut_block(cut, mesh_.sizes[axis], coordinates_[axis]);
        return dimension.indices(cut);
    }

    /// A range of positions that contains all those whose windows touch indices of `held` or lie on both sides of them.
    [[nodiscard]] Range positions_near(Range held) const {
        if (!to_.window)
            return held;
        planrt::Window inverse = *to_.window;
        inverse.transposed = !inverse.transposed;
        return planrt::touched(inverse, {held.begin - inverse.stride, held.end + inverse.stride},
                               to_.window->positions);
    }

    /// The elements wanted by the peers whose blocks are cuts of `block`. Along an axis that does not split `from`,
    /// they have this rank's coordinate.
    [[nodiscard]] Traffic wanted(std::size_t cut, const planrt::CutBlock &off, Range held) const {
        const planrt::AxisList &axes = to_.axes;
        const Range block = off.positions;
        const std::int64_t common = overlap(cut == axes.size() ? to_.indices(off) : to_.reach(off), held);
        if (common == 0)
            return {};
        if (cut == axes.size())
            return {1, common};
        const int parts = mesh_.sizes[axes[cut]];
        if (!cuts_from_[axes[cut]])
            return wanted(cut + 1, planrt::cut_block(off, parts, coordinates_[axes[cut]]), held);
        std::int64_t leaves = 1; // balanced cuts of n leave min(n, parts) blocks that are not empty
        bool all_vary = true;
        for (std::size_t c = cut; c < axes.size(); ++c) {
            leaves *= mesh_.sizes[axes[c]];
            all_vary &= cuts_from_[axes[c]];
        }
        if (!to_.window && all_vary && common == block.size()) // where there are windows, ranges of blocks overlap
            return {std::min(leaves, common), common};
        const Range near = positions_near(held);
        const Range those{std::max(block.begin, near.begin), std::min(block.end, near.end)};
        if (those.size() == 0)
            return {};
        const int first = block_of(block, parts, those.begin);
        const int last = block_of(block, parts, those.end - 1);
        Traffic sum;
        for (int index = first; index <= last; ++index) {
            const Traffic part = wanted(cut + 1, planrt::cut_block(off, parts, index), held);
            sum.calls += part.calls;
            sum.elements += part.elements;
        }
        return sum;
    }

    const planrt::DimensionPlacement &from_;
    const planrt::DimensionPlacement &to_;
    const Mesh &mesh_;
    const std::vector<bool> &cuts_from_;
    std::vector<int> coordinates_;
    DimensionSends sends_;
};

/// Visits the blocks of a dimension in ascending order; `coordinates` are theirs, and 0 at the end.
template <class Visit>
void for_blocks(const planrt::DimensionPlacement &dimension, std::size_t cut, const planrt::CutBlock &block,
                const Mesh &mesh, std::vector<int> &coordinates, const Visit &visit) {
    if (cut == dimension.axes.size())
        return visit(block);
    const int axis = dimension.axes[cut];
    const int parts = mesh.sizes[axis];
    for (coordinates[axis] = 0; coordinates[axis] < parts; ++coordinates[axis])
        for_blocks(dimension, cut + 1, planrt::cut_block(block, parts, coordinates[axis]), mesh, coordinates, visit);
    coordinates[axis] = 0;
}

/// For dimensions whose ranges are needed rows of a sparse product: walks each list of them once, in place of a look at
/// it for each block of `from`.
class WalkLists {
  public:
    WalkLists(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to, const Mesh &mesh,
              const std::vector<bool> &cuts_from)
        : from_(from), to_(to), mesh_(mesh), coordinates_(mesh.sizes.size(), 0), sends_(empty_sends(from, to, mesh)) {
        for (const int axis : to.axes)
            if (!contains(from.axes, axis))
                (cuts_from[axis] ? cut_elsewhere_ : alike_).push_back(axis);
    }

    DimensionSends run() {
        for_blocks(from_, 0, from_.whole(), mesh_, coordinates_, [&](const planrt::CutBlock &block) {
            if (const Range held = from_.indices(block); held.size() > 0)
                held_.push_back({held.end, offset(from_.axes), coordinates_});
        });
        for_blocks(to_, 0, to_.whole(), mesh_, coordinates_,
                   [&](const planrt::CutBlock &block) { walk(to_.indices(block)); });
        for (const int axis : cut_elsewhere_) // what peers want does not depend on it
            for_others_along(axis, [](DimensionSends::Entry &entry, const DimensionSends::Entry &first) {
                entry.wanted = first.wanted;
            });
        for (const int axis : from_.axes)
            if (!contains(to_.axes, axis))
                for_others_along(axis, [](DimensionSends::Entry &entry, const DimensionSends::Entry &first) {
                    entry.needed = first.needed;
                });
        return std::move(sends_);
    }
    /// How many blocks of needed rows were looked at, by time: each part that a block of `from` holds counts besides.
    [[nodiscard]] double blocks() const { return blocks_; }

  private:
    /// A block of `from` that is not empty.
    struct Held {
        std::int64_t end = 0;
        std::size_t offset = 0; ///< of the entries of the ranks that have it
        std::vector<int> coordinates;
    };

    /// Visits the entries whose coordinate along the axis is not 0, each with that whose coordinate is 0.
    template <class Visit> void for_others_along(int axis, const Visit &visit) {
        const std::size_t stride = sends_.stride[axis];
        for (std::size_t entry = 0; entry < sends_.entries.size(); ++entry)
            if (const std::size_t at = entry / stride % static_cast<std::size_t>(mesh_.sizes[axis]); at > 0)
                visit(sends_.entries[entry], sends_.entries[entry - at * stride]);
    }

    template <class Axes> [[nodiscard]] std::size_t offset(const Axes &axes) const {
        std::size_t result = 0;
        for (const int axis : axes)
            result += sends_.stride[axis] * static_cast<std::size_t>(coordinates_[axis]);
        return result;
    }

    /// Adds what the ranks at `coordinates_` need.
    void walk(const Range &needed) {
        ++blocks_;
        sends_.entries[offset(to_.axes)].needed = needed.size();
        if (needed.size() == 0)
            return;
        const auto end = std::lower_bound(needed.listed->begin(), needed.listed->end(), needed.end);
        auto at = std::lower_bound(needed.listed->begin(), end, needed.begin);
        while (at != end) {
            blocks_ += part_of_block;
            const auto held = std::upper_bound(held_.begin(), held_.end(), std::int64_t{*at},
                                               [](std::int64_t index, const Held &block) { return index < block.end; });
            const auto next = std::lower_bound(at, end, held->end);
            const std::int64_t length = next - at;
            Traffic &wanted = sends_.entries[held->offset + offset(alike_)].wanted;
            ++wanted.calls;
            wanted.elements += length;
            if (std::all_of(to_.axes.begin(), to_.axes.end(), [&](int axis) {
                    return !contains(from_.axes, axis) || held->coordinates[axis] == coordinates_[axis];
                }))
                sends_.entries[held->offset + offset(alike_) + offset(cut_elsewhere_)].kept = length;
            at = next;
        }
    }

    const planrt::DimensionPlacement &from_;
    const planrt::DimensionPlacement &to_;
    const Mesh &mesh_;
    std::vector<int> coordinates_;
    DimensionSends sends_;
    std::vector<int> alike_;         ///< axes that cut only `to`: peers have this rank's coordinate
    std::vector<int> cut_elsewhere_; ///< axes that cut this dimension of `to` and another one of `from`
    std::vector<Held> held_;         ///< ascending
    double blocks_ = 0;
};

/// For addends of the rows that ranks touch, which are summed in blocks that the same axes cut: walks each list once.
class WalkAddends {
  public:
    WalkAddends(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to, const Mesh &mesh)
        : from_(from), to_(to), mesh_(mesh), coordinates_(mesh.sizes.size(), 0), sends_(empty_sends(from, to, mesh)) {}

    DimensionSends run() {
        for_blocks(from_, 0, from_.whole(), mesh_, coordinates_, [&](const planrt::CutBlock &block) {
            ++blocks_;
            std::vector<int> receiver = coordinates_;
            give(from_.indices(block), 0, to_.whole(), sends_.at(coordinates_), receiver);
        });
        return std::move(sends_);
    }
    /// As of WalkLists.
    [[nodiscard]] double blocks() const { return blocks_; }

  private:
    /// Gives the rows in `block` to the ranks whose blocks are cuts of it. `at`: the coordinates of the receivers.
    void give(const Range &touched, std::size_t cut, const planrt::CutBlock &block, DimensionSends::Entry &holder,
              std::vector<int> &at) {
        const std::int64_t length = overlap(touched, block.own);
        if (length == 0)
            return;
        if (cut == to_.axes.size()) {
            blocks_ += part_of_block;
            ++holder.wanted.calls;
            holder.wanted.elements += length;
            DimensionSends::Entry &receiver = sends_.at(at);
            receiver.needed += length;
            if (&receiver == &holder)
                holder.kept = length;
            return;
        }
        const int axis = to_.axes[cut];
        const int parts = mesh_.sizes[axis];
        for (at[axis] = 0; at[axis] < parts; ++at[axis])
            give(touched, cut + 1, planrt::cut_block(block, parts, at[axis]), holder, at);
    }

    const planrt::DimensionPlacement &from_;
    const planrt::DimensionPlacement &to_;
    const Mesh &mesh_;
    std::vector<int> coordinates_;
    DimensionSends sends_;
    double blocks_ = 0;
};

} // namespace

DimensionSends tabulate_sends(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to,
                              const sharding::Mesh &mesh, const std::vector<bool> &cuts_from, double &blocks) {
    const auto walked = [&](auto lists) {
        DimensionSends sends = lists.run();
        blocks += lists.blocks();
        return sends;
    };
    if (from.is_sparse())
        return walked(WalkAddends(from, to, mesh));
    if (to.is_sparse())
        return walked(WalkLists(from, to, mesh, cuts_from));
    return TabulateSends(from, to, mesh, cuts_from).run();
}

} // namespace planc::cost
