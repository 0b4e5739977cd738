#include "cost/collectives/traffic.h"

#include "cost/collectives/dimension_sends.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace planc::cost {

using planrt::Placement;
using sharding::CollectiveKind;
using sharding::Mesh;
using sharding::Step;

static std::array<std::int64_t, 10> numbers_of(const planrt::Window &window) {
    const auto &[positions, kernel, stride, dilation, padding, transposed, part, matrix, row_cuts, addends] = window;
    return {positions, kernel,   stride, dilation, padding, transposed, static_cast<std::int64_t>(part),
            matrix,    row_cuts, addends};
}

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
                for (const std::int64_t number : numbers_of(**window))
                    key.push_back(number);
        const auto known = tables.find(key);
        if (known != tables.end())
            return known->second;
        return tables[std::move(key)] = tabulate_sends(from, to, mesh, cuts_from, blocks_of_needed);
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
        if (to.window || from.window) // the first and the last have no neighbour on one side
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
            for (const std::int64_t number : numbers_of(*window))
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
    if (planrt::is_windowed(step.to) || planrt::is_windowed(step.from))
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
