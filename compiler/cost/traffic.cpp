#include "cost/traffic.h"

#include <algorithm>

namespace planc::cost {

using planrt::Placement;
using planrt::Range;
using sharding::CollectiveKind;
using sharding::Mesh;
using sharding::Step;

namespace {

/// What the sends of an exchange amount to, as products over dimensions: a rank sends to those peers that share its
/// coordinates on every axis that does not cut `from`, and of the axes that do, only those that also cut `to` decide
/// what a peer wants.
class Sends {
  public:
    Sends(const Step &step, const Mesh &mesh) : step_(step), mesh_(mesh), cuts_from_(mesh.sizes.size(), false) {
        std::vector<bool> cuts_to(mesh.sizes.size(), false);
        for (const planrt::DimensionPlacement &dimension : step.from.dimensions)
            for (int axis : dimension.axes)
                cuts_from_[axis] = true;
        for (const planrt::DimensionPlacement &dimension : step.to.dimensions)
            for (int axis : dimension.axes)
                cuts_to[axis] = true;
        for (std::size_t axis = 0; axis < cuts_to.size(); ++axis) {
            if (cuts_from_[axis] && !cuts_to[axis])
                replicas_ *= mesh.sizes[axis];
            relevant_.push_back(cuts_from_[axis] || cuts_to[axis]);
        }
    }

    /// Do ranks that differ along `axis` send differently?
    [[nodiscard]] bool relevant(std::size_t axis) const { return relevant_[axis]; }

    [[nodiscard]] Traffic of(std::vector<int> coordinates) const {
        Traffic all{replicas_, replicas_};
        std::int64_t kept = 1;
        for (std::size_t d = 0; d < step_.from.dimensions.size(); ++d) {
            const Range held = range(step_.from.dimensions[d], coordinates);
            kept *= overlap(held, range(step_.to.dimensions[d], coordinates));
            const Traffic wanted = wanted_by_peers(d, 0, Range{0, step_.to.dimensions[d].extent}, held, coordinates);
            all.calls *= wanted.calls;
            all.elements *= wanted.elements;
        }
        if (kept > 0) { // what the rank itself keeps is no send
            --all.calls;
            all.elements -= kept;
        }
        return all;
    }

  private:
    static std::int64_t overlap(Range a, Range b) {
        return Range{std::max(a.begin, b.begin), std::min(a.end, b.end)}.size();
    }
    [[nodiscard]] Range range(const planrt::DimensionPlacement &dimension, const std::vector<int> &coordinates) const {
        Range result{0, dimension.extent};
        for (int axis : dimension.axes)
            result = planrt::block(result, mesh_.sizes[axis], coordinates[axis]);
        return result;
    }
    /// Peers whose block of dimension d meets `held`, and the length of what they get together.
    [[nodiscard]] Traffic wanted_by_peers(std::size_t d, std::size_t cut, Range block, Range held,
                                          const std::vector<int> &coordinates) const {
        const std::vector<int> &axes = step_.to.dimensions[d].axes;
        const std::int64_t common = overlap(block, held);
        if (common == 0)
            return {};
        if (cut == axes.size())
            return {1, common};
        const int axis = axes[cut];
        const int parts = mesh_.sizes[axis];
        if (!cuts_from_[axis])
            return wanted_by_peers(d, cut + 1, planrt::block(block, parts, coordinates[axis]), held, coordinates);
        Traffic sum;
        for (int index = 0; index < parts; ++index) {
            const Traffic part = wanted_by_peers(d, cut + 1, planrt::block(block, parts, index), held, coordinates);
            sum.calls += part.calls;
            sum.elements += part.elements;
        }
        return sum;
    }

    const Step &step_;
    const Mesh &mesh_;
    std::vector<bool> cuts_from_;
    std::vector<bool> relevant_;
    std::int64_t replicas_ = 1; ///< peers that want the same
};

bool point_to_point(CollectiveKind kind) {
    return kind == CollectiveKind::all_to_all || kind == CollectiveKind::exchange;
}

/// Calls visit(coordinates) for every rank that differs along the axes of `varying`.
template <class Visit> void for_each_rank(const Mesh &mesh, const std::vector<bool> &varying, const Visit &visit) {
    std::vector<int> coordinates(mesh.sizes.size(), 0);
    while (true) {
        visit(coordinates);
        std::size_t axis = mesh.sizes.size();
        while (axis-- > 0) {
            if (!varying[axis])
                continue;
            if (++coordinates[axis] < mesh.sizes[axis])
                break;
            coordinates[axis] = 0;
        }
        if (axis == static_cast<std::size_t>(-1))
            return;
    }
}

} // namespace

std::vector<Traffic> traffic_by_rank(const Step &step, const Mesh &mesh) {
    std::vector<Traffic> result;
    const int ranks = mesh.ranks();
    result.reserve(ranks);
    if (!point_to_point(step.kind)) {
        for (int rank = 0; rank < ranks; ++rank)
            result.push_back(planrt::traffic(step.kind, step.from, step.to, mesh, rank));
        return result;
    }
    const Sends sends(step, mesh);
    for_each_rank(mesh, std::vector<bool>(mesh.sizes.size(), true), [&](const std::vector<int> &coordinates) {
        result.push_back(sends.of(coordinates));
        if (step.kind == CollectiveKind::all_to_all)
            result.back().calls = 1;
    });
    return result;
}

Traffic busiest_traffic(const Step &step, const Mesh &mesh) {
    if (!point_to_point(step.kind)) // the first rank has the largest blocks
        return planrt::traffic(step.kind, step.from, step.to, mesh, 0);
    const Sends sends(step, mesh);
    const bool alike = uniform_traffic(step, mesh);
    std::vector<bool> varying(mesh.sizes.size());
    for (std::size_t axis = 0; axis < varying.size(); ++axis)
        varying[axis] = sends.relevant(axis) && !alike;
    Traffic busiest;
    for_each_rank(mesh, varying, [&](const std::vector<int> &coordinates) {
        const Traffic traffic = sends.of(coordinates);
        if (traffic.elements > busiest.elements ||
            (traffic.elements == busiest.elements && traffic.calls > busiest.calls))
            busiest = traffic;
    });
    if (step.kind == CollectiveKind::all_to_all)
        busiest.calls = 1;
    return busiest;
}

namespace {

bool divides(const planrt::DimensionPlacement &dimension, const Mesh &mesh) {
    std::int64_t parts = 1;
    for (int axis : dimension.axes)
        parts *= mesh.sizes[axis];
    return dimension.extent % parts == 0;
}

/// Blocks of both placements nest: one list of axes begins with the other.
bool nested(const planrt::DimensionPlacement &a, const planrt::DimensionPlacement &b) {
    const auto [rest_a, rest_b] = std::mismatch(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end());
    return rest_a == a.axes.end() || rest_b == b.axes.end();
}

} // namespace

bool uniform_traffic(const Step &step, const Mesh &mesh) {
    if (step.kind == CollectiveKind::slice)
        return true;
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
