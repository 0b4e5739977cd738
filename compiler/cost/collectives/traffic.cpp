#include "cost/collectives/traffic.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace planc::cost {

using planrt::Placement;
using planrt::Range;
using sharding::CollectiveKind;
using sharding::Mesh;
using sharding::Step;

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

/// One dimension of an exchange, tabulated over the coordinates of the axes that split it before or after.
struct DimensionSends {
    struct Entry {
        Traffic wanted;          ///< peers whose block meets this rank's, and the length of what they get together
        std::int64_t kept = 0;   ///< length of what the rank itself keeps
        std::int64_t needed = 0; ///< length of what the rank has afterwards, with what it keeps
    };
    std::vector<std::size_t> stride; ///< per axis, 0: of no matter here
    std::vector<Entry> entries;

    [[nodiscard]] const Entry &at(const std::vector<int> &coordinates) const {
        std::size_t index = 0;
        for (std::size_t axis = 0; axis < stride.size(); ++axis)
            index += stride[axis] * static_cast<std::size_t>(coordinates[axis]);
        return entries[index];
    }
};

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
            DimensionSends::Entry &entry = sends_.entries[&sends_.at(coordinates_) - sends_.entries.data()];
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
        for_blocks(from_, 0, from_.whole(), [&](const planrt::CutBlock &block) {
            if (const Range held = from_.indices(block); held.size() > 0)
                held_.push_back({held.end, offset(from_.axes), coordinates_});
        });
        for_blocks(to_, 0, to_.whole(), [&](const planrt::CutBlock &block) { walk(to_.indices(block)); });
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

    /// Visits the blocks in ascending order; `coordinates_` are theirs.
    template <class Visit>
    void for_blocks(const planrt::DimensionPlacement &dimension, std::size_t cut, const planrt::CutBlock &block,
                    const Visit &visit) {
        if (cut == dimension.axes.size())
            return visit(block);
        const int axis = dimension.axes[cut];
        const int parts = mesh_.sizes[axis];
        for (coordinates_[axis] = 0; coordinates_[axis] < parts; ++coordinates_[axis])
            for_blocks(dimension, cut + 1, planrt::cut_block(block, parts, coordinates_[axis]), visit);
        coordinates_[axis] = 0;
    }

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

    static constexpr double part_of_block = 0.1; ///< the time of such a part

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

} // namespace

struct SendTables::Known {
    std::map<std::vector<std::int64_t>, DimensionSends> tables; ///< by all that they depend on
    std::unordered_map<std::string, std::vector<Flow>> by_rank; ///< by key of the step
    double blocks_of_needed = 0;

    const DimensionSends &of(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to,
                             const Mesh &mesh, const std::vector<bool> &cuts_from) {
        std::vector<std::int64_t> key{from.extent, static_cast<std::int64_t>(from.axes.size())};
        key.insert(key.end(), from.axes.begin(), from.axes.end());
        key.push_back(static_cast<std::int64_t>(to.axes.size()));
        for (int axis : to.axes)
            key.push_back(2 * axis + (cuts_from[axis] ? 1 : 0));
        for (const auto *window : {&from.window, &to.window})
            if (key.push_back(window->has_value()); window->has_value())
                for (const std::int64_t number :
                     {(*window)->positions, (*window)->kernel, (*window)->stride, (*window)->dilation,
                      (*window)->padding, std::int64_t{(*window)->transposed},
                      static_cast<std::int64_t>((*window)->part), std::int64_t{(*window)->matrix},
                      std::int64_t{(*window)->row_cuts}})
                    key.push_back(number);
        const auto known = tables.find(key);
        if (known != tables.end())
            return known->second;
        DimensionSends &sends = tables[std::move(key)];
        if (!to.is_sparse())
            return sends = TabulateSends(from, to, mesh, cuts_from).run();
        WalkLists lists(from, to, mesh, cuts_from);
        sends = lists.run();
        blocks_of_needed += lists.blocks();
        return sends;
    }
};

namespace {

/// The sends of an exchange, as products over dimensions. A rank sends to the peers that share its coordinates on every
/// axis that does not split `from`; of the axes that do, only those that also split `to` determine what a peer needs.
class Sends {
  public:
    Sends(const Step &step, const Mesh &mesh, SendTables::Known &known)
        : cuts_from_(mesh.sizes.size(), false), varying_(mesh.sizes.size(), false) {
        std::vector<bool> cuts_to(mesh.sizes.size(), false);
        mark(step.from, cuts_from_);
        mark(step.to, cuts_to);
        for (std::size_t axis = 0; axis < varying_.size(); ++axis) {
            if (cuts_from_[axis] && !cuts_to[axis])
                replicas_ *= mesh.sizes[axis];
            varying_[axis] = cuts_from_[axis] || cuts_to[axis];
        }
        for (std::size_t d = 0; d < step.from.dimensions.size(); ++d) {
            dimensions_.push_back(&known.of(step.from.dimensions[d], step.to.dimensions[d], mesh, cuts_from_));
            skip_even_prefix(step.from.dimensions[d], step.to.dimensions[d], mesh);
        }
    }

    /// Axes along which ranks may differ in what they send.
    [[nodiscard]] const std::vector<bool> &varying() const { return varying_; }

    [[nodiscard]] std::vector<Flow> by_rank(const Mesh &mesh) const {
        std::vector<Flow> result;
        result.reserve(mesh.ranks());
        for_each_rank(std::vector<bool>(mesh.sizes.size(), true), mesh,
                      [&](const Flow &flow) { result.push_back(flow); });
        return result;
    }

    /// Of all ranks that differ along these axes.
    [[nodiscard]] BusiestFlows busiest(const std::vector<bool> &varying, const Mesh &mesh) const {
        const auto sends = [](const Flow &flow) { return std::pair(flow.sent.elements, flow.sent.calls); };
        const auto receives = [](const Flow &flow) { return std::pair(flow.received, flow.sent.calls); };
        BusiestFlows busiest;
        for_each_rank(varying, mesh, [&](const Flow &flow) {
            busiest.sender = std::ranges::max(busiest.sender, flow, {}, sends);
            busiest.receiver = std::ranges::max(busiest.receiver, flow, {}, receives);
        });
        return busiest;
    }

  private:
    /// Visits the ranks that differ along these axes, ascending; their other coordinates are 0.
    template <class Visit>
    void for_each_rank(const std::vector<bool> &varying, const Mesh &mesh, const Visit &visit) const {
        std::vector<int> coordinates(mesh.sizes.size(), 0);
        std::vector<const DimensionSends::Entry *> entries;
        for (const DimensionSends *dimension : dimensions_)
            entries.push_back(dimension->entries.data());
        visit(product(entries));
        const auto move = [&](std::size_t axis, int by) {
            coordinates[axis] += by;
            for (std::size_t d = 0; d < entries.size(); ++d)
                entries[d] += by * static_cast<std::ptrdiff_t>(dimensions_[d]->stride[axis]);
        };
        while (true) {
            std::size_t axis = mesh.sizes.size();
            while (axis-- > 0)
                if (varying[axis] && coordinates[axis] + 1 < mesh.sizes[axis])
                    break;
                else
                    move(axis, -coordinates[axis]);
            if (axis == static_cast<std::size_t>(-1))
                return;
            move(axis, 1);
            visit(product(entries));
        }
    }

    /// The flow of a rank, by its entry in each dimension.
    [[nodiscard]] Flow product(const std::vector<const DimensionSends::Entry *> &entries) const {
        Flow all{{replicas_, replicas_}, 1};
        std::int64_t kept = 1;
        for (const DimensionSends::Entry *entry : entries) {
            all.sent.calls *= entry->wanted.calls;
            all.sent.elements *= entry->wanted.elements;
            all.received *= entry->needed;
            kept *= entry->kept;
        }
        if (kept > 0) { // what the rank itself keeps is no send
            --all.sent.calls;
            all.sent.elements -= kept;
            all.received -= kept;
        }
        return all;
    }

    static void mark(const Placement &placement, std::vector<bool> &cut) {
        for (const planrt::DimensionPlacement &dimension : placement.dimensions)
            for (int axis : dimension.axes)
                cut[axis] = true;
    }

    /// Skips equal blocks that both placements split alike.
    void skip_even_prefix(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to,
                          const Mesh &mesh) {
        if (to.window) // the first and the last have no neighbour on one side
            return;
        std::int64_t rest = from.extent;
        for (std::size_t i = 0; i < std::min(from.axes.size(), to.axes.size()); ++i) {
            const int axis = from.axes[i];
            if (axis != to.axes[i] || rest % mesh.sizes[axis] != 0)
                return;
            rest /= mesh.sizes[axis];
            varying_[axis] = false;
        }
    }

    std::vector<bool> cuts_from_;
    std::vector<bool> varying_;
    std::vector<const DimensionSends *> dimensions_;
    std::int64_t replicas_ = 1; ///< peers that want the same
};

bool point_to_point(CollectiveKind kind) {
    return kind == CollectiveKind::all_to_all || kind == CollectiveKind::exchange;
}

/// Of a collective that is not point to point.
Flow collective_flow(const Step &step, const Mesh &mesh, int rank) {
    const Traffic sent = planrt::traffic(step.kind, step.from, step.to, mesh, rank);
    if (step.kind != CollectiveKind::reduce_scatter && step.kind != CollectiveKind::all_gather)
        return {sent, sent.elements};
    std::int64_t blocks = 1;
    for (const int axis : step.axes)
        blocks *= mesh.sizes[axis];
    return {sent, blocks * planrt::largest_volume(step.kind == CollectiveKind::all_gather ? step.from : step.to, mesh)};
}

} // namespace

/// Seven bits per byte, lowest first: most numbers take one byte.
static void append(std::string &text, std::int64_t number) {
    auto rest = static_cast<std::uint64_t>(number);
    for (; rest >= 0x80; rest >>= 7)
        text += static_cast<char>(rest | 0x80);
    text += static_cast<char>(rest);
}

template <class Axes> static void append_list(std::string &text, const Axes &axes) {
    append(text, static_cast<std::int64_t>(axes.size()));
    for (const int axis : axes)
        append(text, axis);
}

static void append(std::string &text, const planrt::Placement &placement) {
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        append(text, dimension.extent);
        append_list(text, dimension.axes);
        append(text, dimension.window ? 1 : 0);
        if (const auto &window = dimension.window)
            for (const std::int64_t number :
                 {window->positions, window->kernel, window->stride, window->dilation, window->padding,
                  std::int64_t{window->transposed}, static_cast<std::int64_t>(window->part),
                  std::int64_t{window->matrix}, std::int64_t{window->row_cuts}})
                append(text, number);
    }
    append_list(text, placement.partial);
    append_list(text, placement.stored);
}

std::string key(const sharding::Step &step) {
    std::string text;
    append(text, static_cast<std::int64_t>(step.kind));
    append(text, static_cast<std::int64_t>(step.from.dimensions.size()));
    append_list(text, step.axes);
    append(text, step.from);
    append(text, step.to);
    return text;
}

std::vector<Flow> flow_by_rank(const Step &step, const Mesh &mesh) {
    return SendTables(mesh).by_rank(step);
}

SendTables::SendTables(const Mesh &mesh) : mesh_(mesh), known_(std::make_unique<Known>()) {}
SendTables::~SendTables() = default;

double SendTables::blocks_of_needed() const {
    return known_->blocks_of_needed;
}

const std::vector<Flow> &SendTables::by_rank(const Step &step) {
    const auto [known, is_new] = known_->by_rank.try_emplace(key(step));
    std::vector<Flow> &result = known->second;
    if (!is_new)
        return result;
    if (point_to_point(step.kind)) {
        result = Sends(step, mesh_, *known_).by_rank(mesh_);
        if (step.kind == CollectiveKind::all_to_all)
            for (Flow &flow : result)
                flow.sent.calls = 1;
        return result;
    }
    for (int rank = 0; rank < mesh_.ranks(); ++rank)
        result.push_back(collective_flow(step, mesh_, rank));
    return result;
}

BusiestFlows busiest_flows(const Step &step, const Mesh &mesh) {
    return SendTables(mesh).busiest(step);
}

BusiestFlows SendTables::busiest(const Step &step) {
    const Mesh &mesh = mesh_;
    if (!point_to_point(step.kind)) { // the first rank has the largest blocks
        const Flow first = collective_flow(step, mesh, 0);
        return {first, first};
    }
    const Sends sends(step, mesh, *known_);
    const std::vector<bool> varying =
        uniform_traffic(step, mesh) ? std::vector<bool>(mesh.sizes.size(), false) : sends.varying();
    BusiestFlows busiest = sends.busiest(varying, mesh);
    if (step.kind == CollectiveKind::all_to_all)
        busiest.sender.sent.calls = busiest.receiver.sent.calls = 1;
    return busiest;
}

namespace {

bool divides(const planrt::DimensionPlacement &dimension, const Mesh &mesh) {
    std::int64_t parts = 1;
    for (int axis : dimension.axes)
        parts *= mesh.sizes[axis];
    return dimension.extent % parts == 0;
}

/// Whether the blocks of both placements nest: one list of axes begins with the other.
bool nested(const planrt::DimensionPlacement &a, const planrt::DimensionPlacement &b) {
    const auto [rest_a, rest_b] = std::mismatch(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end());
    return rest_a == a.axes.end() || rest_b == b.axes.end();
}

} // namespace

bool uniform_traffic(const Step &step, const Mesh &mesh) {
    if (step.kind == CollectiveKind::slice)
        return true;
    if (planrt::is_windowed(step.to))
        return false;
    const Placement &whole = step.kind == CollectiveKind::all_gather ? step.to : step.from;
    if (planrt::largest_volume(whole, mesh) != planrt::local_volume(whole, mesh, mesh.ranks() - 1))
        return false; // the last rank has the smallest share of the smallest block
    for (std::size_t d = 0; d < step.from.dimensions.size(); ++d) {
        const planrt::DimensionPlacement &from = step.from.dimensions[d];
        const planrt::DimensionPlacement &to = step.to.dimensions[d];
        if (step.kind != CollectiveKind::all_gather && !divides(from, mesh))
            return false;
        if ((step.kind == CollectiveKind::all_gather || point_to_point(step.kind)) && !divides(to, mesh))
            return false;
        if (point_to_point(step.kind) && !nested(from, to))
            return false;
    }
    return true;
}

} // namespace planc::cost
