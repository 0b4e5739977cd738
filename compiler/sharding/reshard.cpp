// Every route from one placement to another has the same form, known from Rink et al. 2021, "Memory-efficient array
// redistribution through portable collective communication": make blocks smaller (slice, reduce-scatter), permute the
// small blocks, then make them larger (all-gather). Routes differ in a few choices; the one that moves least is taken.
#include "sharding/placement.h"
#include "sharding/wire_volumes.h"

#include <algorithm>

namespace planc::sharding {

using planrt::DimensionPlacement;

namespace {

bool same_cuts(const Placement &a, const Placement &b) {
    return a.dimensions == b.dimensions;
}

/// The axes whose cuts are not common prefixes of both placements, ascending: the group within which data moves.
std::vector<int> moved_axes(const Placement &from, const Placement &to) {
    std::vector<int> result;
    for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
        const planrt::AxisList &a = from.dimensions[d].axes;
        const planrt::AxisList &b = to.dimensions[d].axes;
        const auto [rest_a, rest_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
        result.insert(result.end(), rest_a, a.end());
        result.insert(result.end(), rest_b, b.end());
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

int dimension_cut_by(const Placement &placement, int axis) {
    for (std::size_t d = 0; d < placement.dimensions.size(); ++d)
        if (contains(placement.dimensions[d].axes, axis))
            return static_cast<int>(d);
    return -1;
}

/// A sequence of steps under construction, from `from` towards `to`.
class Route {
  public:
    Route(const Placement &from, const Placement &to) : to_(to), now_(from) {}

    /// Splits further by the axes of `to` along which the tensor is replicated now, in each dimension in the order of
    /// `to`.
    void slice() {
        Placement next = now_;
        append_missing(next, [this](int axis) { return !contains(now_.partial, axis); });
        std::vector<int> axes = moved_axes(now_, next);
        go(CollectiveKind::slice, std::move(next), std::move(axes));
    }

    /// Reduces the partial sums that `to` does not have, by reduce-scatter if `to` is split over the axis. Axes that
    /// split nothing in `to` are scattered over `dimension`, to be gathered at the end, or all-reduced if `dimension`
    /// is -1.
    void reduce(int dimension) {
        if (std::none_of(now_.partial.begin(), now_.partial.end(), [this](int axis) { return going(axis); }))
            return;
        Placement next = now_;
        append_missing(next, [this](int axis) { return going(axis); });
        if (dimension >= 0)
            for (int axis : now_.partial)
                if (going(axis) && !cuts(next, axis))
                    next.dimensions[dimension].axes.push_back(axis);
        const std::vector<int> scattered = moved_axes(now_, next);
        without_partial(next, scattered);
        go(CollectiveKind::reduce_scatter, std::move(next), scattered);

        std::vector<int> rest;
        std::copy_if(now_.partial.begin(), now_.partial.end(), std::back_inserter(rest),
                     [this](int axis) { return going(axis); });
        next = now_;
        without_partial(next, rest);
        go(CollectiveKind::all_reduce, std::move(next), std::move(rest));
    }

    /// Moves blocks of the current size to their place in `to`; axes that `to` lacks remain as the last cuts.
    void permute() {
        if (same_cuts(now_, to_))
            return;
        Placement next = now_;
        next.dimensions = to_.dimensions;
        for (std::size_t d = 0; d < now_.dimensions.size(); ++d)
            for (int axis : now_.dimensions[d].axes)
                if (!cuts(to_, axis))
                    next.dimensions[d].axes.push_back(axis);
        move(std::move(next));
    }

    /// Gathers axes that `to` lacks from the ends of the dimensions' lists.
    void gather() {
        if (same_cuts(now_, to_))
            return;
        Placement next = now_;
        next.dimensions = to_.dimensions;
        std::vector<int> axes = moved_axes(now_, next);
        go(CollectiveKind::all_gather, std::move(next), std::move(axes));
    }

    /// Gathers everything that is split differently in `to`.
    void gather_to_common() {
        Placement next = now_;
        for (std::size_t d = 0; d < next.dimensions.size(); ++d) {
            planrt::AxisList &axes = next.dimensions[d].axes;
            const planrt::AxisList &wanted = to_.dimensions[d].axes;
            axes.erase(std::mismatch(axes.begin(), axes.end(), wanted.begin(), wanted.end()).first, axes.end());
        }
        std::vector<int> cut = moved_axes(now_, next);
        go(CollectiveKind::all_gather, std::move(next), std::move(cut));
    }

    /// Everything at once, point to point.
    void exchange() {
        if (same_cuts(now_, to_))
            return;
        Placement next = now_;
        next.dimensions = to_.dimensions;
        std::vector<int> axes = moved_axes(now_, next);
        go(CollectiveKind::exchange, std::move(next), std::move(axes));
    }

    [[nodiscard]] bool is_empty() const { return steps_.empty(); }
    [[nodiscard]] std::vector<Step> take() && { return std::move(steps_); }

  private:
    [[nodiscard]] bool going(int axis) const { return contains(now_.partial, axis) && !contains(to_.partial, axis); }

    template <class Predicate> void append_missing(Placement &next, Predicate wanted) const {
        for (std::size_t d = 0; d < next.dimensions.size(); ++d)
            for (int axis : to_.dimensions[d].axes)
                if (!cuts(now_, axis) && wanted(axis))
                    next.dimensions[d].axes.push_back(axis);
    }

    static void without_partial(Placement &placement, const std::vector<int> &axes) {
        std::erase_if(placement.partial, [&axes](int axis) { return contains(axes, axis); });
        if (placement.partial.empty())
            placement.reduction = Reduction::sum;
    }

    /// All-to-all if every axis that moves goes from one dimension to another, else a general exchange.
    void move(Placement next) {
        std::vector<int> axes = moved_axes(now_, next);
        const bool between_dimensions = std::all_of(axes.begin(), axes.end(), [&](int axis) {
            return dimension_cut_by(now_, axis) != dimension_cut_by(next, axis);
        });
        go(between_dimensions ? CollectiveKind::all_to_all : CollectiveKind::exchange, std::move(next),
           std::move(axes));
    }

    void go(CollectiveKind kind, Placement next, std::vector<int> axes) {
        if (next == now_)
            return;
        steps_.push_back({kind, std::move(axes), std::move(now_), next});
        now_ = std::move(next);
    }

    const Placement &to_;
    Placement now_;
    std::vector<Step> steps_;
};

/// Keeps the route that moves least; among equal ones the shortest, then the first.
class Cheapest {
  public:
    explicit Cheapest(WireVolumes &volumes) : volumes_(volumes) {}
    void offer(Route route) { offer(std::move(route).take()); }
    void offer(std::vector<Step> steps) {
        const double volume = volumes_.of(steps);
        if (found_ && (volume > volume_ || (volume == volume_ && steps.size() >= steps_.size())))
            return;
        found_ = true;
        volume_ = volume;
        steps_ = std::move(steps);
    }
    [[nodiscard]] std::vector<Step> take() { return std::move(steps_); }

  private:
    WireVolumes &volumes_;
    bool found_ = false;
    double volume_ = 0;
    std::vector<Step> steps_;
};

/// The choices: what to split before reducing, and whether to permute small blocks or gather large ones.
void offer_routes(const Placement &from, const Placement &to, int scattered, Cheapest &cheapest) {
    Route small_first(from, to);
    small_first.slice();
    const bool slices = !small_first.is_empty();
    small_first.reduce(scattered);
    Route small_direct = small_first;
    small_first.permute();
    small_first.gather();
    cheapest.offer(std::move(small_first));

    if (slices && from.partial != to.partial) { // spares a permutation where `to` is cut by the reduced axis first
        Route reduced_first(from, to);
        reduced_first.reduce(scattered);
        reduced_first.slice();
        reduced_first.permute();
        reduced_first.gather();
        cheapest.offer(std::move(reduced_first));
    }

    Route through_common(from, to);
    through_common.reduce(scattered);
    through_common.gather_to_common();
    through_common.slice();
    cheapest.offer(std::move(through_common));

    small_direct.exchange();
    cheapest.offer(std::move(small_direct));
}

void normalise(Placement &placement) {
    std::sort(placement.partial.begin(), placement.partial.end());
    if (placement.partial.empty())
        placement.reduction = Reduction::sum;
}

} // namespace

/// For placements without shards, or with equal shards where only partial sums are reduced.
static std::vector<Step> reshard_blocks(const Placement &from, const Placement &to, WireVolumes &volumes) {
    if (from == to)
        return {};
    const bool reduces = from.partial != to.partial;
    Cheapest cheapest(volumes);
    if (reduces && same_cuts(from, to)) {
        Route route(from, to);
        route.reduce(-1);
        return std::move(route).take();
    }
    const int dimensions = static_cast<int>(to.dimensions.size());
    for (int scattered = -1; scattered < (reduces ? dimensions : 0); ++scattered)
        offer_routes(from, to, scattered, cheapest);
    if (!reduces) {
        Route direct(from, to);
        direct.exchange();
        cheapest.offer(std::move(direct));
    }
    return cheapest.take();
}

namespace {

/// Routes to a placement with windows end with one step into it: a halo exchange, or a slice if each rank already has
/// its part.
class WindowRoutes {
  public:
    WindowRoutes(const Placement &from, const Placement &to, WireVolumes &volumes, const FindSteps &steps)
        : from_(from), to_(to), steps_(steps), cheapest_(volumes) {}

    std::vector<Step> run() {
        Placement complete = from_; // not partial, but where `to` is
        complete.partial = to_.partial;
        complete.reduction = to_.reduction;
        complete.stored.clear();
        offer(complete);
        Placement blocks = without_windows(to_);
        offer(blocks);
        for (std::size_t d = 0; d < blocks.dimensions.size(); ++d)
            if (to_.dimensions[d].window)
                blocks.dimensions[d].axes.clear();
        offer(blocks);
        return cheapest_.take();
    }

  private:
    void offer(const Placement &through) {
        if (std::find(offered_.begin(), offered_.end(), through) != offered_.end())
            return;
        offered_.push_back(through);
        std::vector<Step> steps = steps_(from_, through);
        steps.push_back(last(through));
        cheapest_.offer(std::move(steps));
    }

    [[nodiscard]] Step last(const Placement &through) const {
        Step step{CollectiveKind::slice, {}, through, to_};
        for (std::size_t d = 0; d < to_.dimensions.size(); ++d) {
            const planrt::AxisList &has = through.dimensions[d].axes;
            const planrt::AxisList &wants = to_.dimensions[d].axes;
            const bool windowed = to_.dimensions[d].window.has_value();
            if (windowed ? !has.empty() : !is_prefix(has, wants))
                step.kind = CollectiveKind::exchange;
            // There are no halos between ranks that an axis splits alike, unless it splits the windows.
            const auto [rest_has, rest_wants] = std::mismatch(has.begin(), has.end(), wants.begin(), wants.end());
            step.axes.insert(step.axes.end(), windowed ? has.begin() : rest_has, has.end());
            step.axes.insert(step.axes.end(), windowed ? wants.begin() : rest_wants, wants.end());
        }
        std::sort(step.axes.begin(), step.axes.end());
        step.axes.erase(std::unique(step.axes.begin(), step.axes.end()), step.axes.end());
        return step;
    }

    const Placement &from_;
    const Placement &to_;
    const FindSteps &steps_;
    Cheapest cheapest_;
    std::vector<Placement> offered_;
};

/// Routes between sharded placements: whole blocks move as usual; shards are gathered before or cut afterwards.
class SharesRoute {
  public:
    SharesRoute(const Placement &from, const Placement &to, WireVolumes &volumes)
        : to_(to), volumes_(volumes), now_(from) {}

    /// `early`: partial sums are reduced before blocks grow; otherwise after they have been cut into shards.
    std::vector<Step> run(bool early) {
        if (same_cuts(now_, to_) && is_prefix(now_.stored, to_.stored)) {
            cut();
        } else if (same_cuts(now_, to_)) {
            reduce(); // partial sums are smallest in shares
            gather(std::mismatch(now_.stored.begin(), now_.stored.end(), to_.stored.begin(), to_.stored.end()).first -
                   now_.stored.begin());
            cut();
        } else {
            if (!now_.stored.empty())
                reduce();
            gather(0);
            move_blocks(early);
            cut();
        }
        reduce();
        return std::move(steps_);
    }

  private:
    /// Moves the blocks to their places in `to`.
    void move_blocks(bool early) {
        Placement next = to_;
        next.stored.clear();
        next.partial.clear();
        for (int axis : now_.partial)
            if (!cuts(to_, axis) && ((!early && !to_.stored.empty()) || contains(to_.partial, axis)))
                next.partial.push_back(axis);
        if (!next.partial.empty())
            next.reduction = now_.reduction;
        normalise(next);
        for (Step &step : reshard_blocks(now_, next, volumes_))
            steps_.push_back(std::move(step));
        now_ = next;
    }

    /// Reduces the partial sums that `to` has neither as partial sums nor in shards.
    void reduce() {
        Placement next = now_;
        std::erase_if(next.partial,
                      [this](int axis) { return !contains(to_.partial, axis) && !contains(to_.stored, axis); });
        std::vector<int> axes;
        std::set_difference(now_.partial.begin(), now_.partial.end(), next.partial.begin(), next.partial.end(),
                            std::back_inserter(axes));
        normalise(next);
        if (!axes.empty())
            go(CollectiveKind::all_reduce, next, axes);
    }

    /// Gathers all stored axes except the first `kept`.
    void gather(std::ptrdiff_t kept) {
        Placement next = now_;
        next.stored.resize(static_cast<std::size_t>(kept));
        if (next.stored.size() < now_.stored.size())
            go(CollectiveKind::all_gather, next, {now_.stored.begin() + kept, now_.stored.end()});
    }

    /// Cuts by the stored axes of `to`, as many at once as are of one kind: partial sums are scattered, replicas cut.
    void cut() {
        while (now_.stored.size() < to_.stored.size()) {
            const bool partial = contains(now_.partial, to_.stored[now_.stored.size()]);
            Placement next = now_;
            std::vector<int> axes;
            for (std::size_t i = now_.stored.size(); i < to_.stored.size(); ++i) {
                if (contains(now_.partial, to_.stored[i]) != partial)
                    break;
                next.stored.push_back(to_.stored[i]);
                axes.push_back(to_.stored[i]);
            }
            std::erase_if(next.partial, [&](int axis) { return contains(axes, axis); });
            normalise(next);
            go(partial ? CollectiveKind::reduce_scatter : CollectiveKind::slice, next, axes);
        }
    }

    void go(CollectiveKind kind, const Placement &next, std::vector<int> axes) {
        std::sort(axes.begin(), axes.end());
        steps_.push_back({kind, std::move(axes), now_, next});
        now_ = next;
    }

    const Placement &to_;
    WireVolumes &volumes_;
    Placement now_;
    std::vector<Step> steps_;
};

} // namespace

/// Whether the axes of the addends cut their dimension in `to` too, in any order, and nothing else differs.
static bool sums_all_in_blocks(const Placement &addends, const Placement &to) {
    const auto alike = [](const DimensionPlacement &from, const DimensionPlacement &wanted) {
        return from.window
                   ? std::is_permutation(from.axes.begin(), from.axes.end(), wanted.axes.begin(), wanted.axes.end())
                   : from == wanted;
    };
    return !is_windowed(to) && to.stored.empty() &&
           std::equal(addends.dimensions.begin(), addends.dimensions.end(), to.dimensions.begin(), alike);
}

/// First each row goes to one rank, which adds: replicas would sum in the same order, but many times.
static std::vector<Step> sum_addends(const Placement &from, const Placement &to, const FindSteps &steps) {
    const Placement own_rows = summed(from);
    Step sum{CollectiveKind::exchange, {}, from, sums_all_in_blocks(from, to) ? to : own_rows};
    for (const DimensionPlacement &rows : from.dimensions)
        if (rows.window)
            sum.axes.assign(rows.axes.begin(),
                            sum.to == own_rows ? rows.axes.begin() + rows.window->row_cuts : rows.axes.end());
    std::sort(sum.axes.begin(), sum.axes.end());
    std::vector<Step> result = steps(sum.to, to);
    result.insert(result.begin(), std::move(sum));
    return result;
}

std::vector<Step> reshard(const Placement &from, const Placement &to, const Mesh &mesh) {
    WireVolumes volumes(mesh);
    return reshard(from, to, volumes,
                   [&mesh](const Placement &has, const Placement &wanted) { return reshard(has, wanted, mesh); });
}

std::vector<Step> reshard(const Placement &from_given, const Placement &to_given, WireVolumes &volumes,
                          const FindSteps &rest) {
    Placement from = from_given;
    Placement to = to_given;
    normalise(from);
    normalise(to);
    if (from == to)
        return {};
    if (planrt::has_addends(from))
        return sum_addends(from, to, rest);
    if (planrt::is_windowed(to))
        return WindowRoutes(from, to, volumes, rest).run();
    if (from.stored.empty() && to.stored.empty())
        return reshard_blocks(from, to, volumes);
    std::vector<Step> late = SharesRoute(from, to, volumes).run(false);
    std::vector<Step> early = SharesRoute(from, to, volumes).run(true);
    return volumes.of(early) < volumes.of(late) ? early : late;
}

} // namespace planc::sharding
