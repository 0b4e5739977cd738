#include "plan/search/search_meshes.h"

#include "cost/reports/report.h"
#include "plan/baselines/fastest_baselines.h"
#include "plan/baselines/price_baseline.h"
#include "plan/bounds/least_computation.h"
#include "plan/bounds/least_memory.h"
#include "plan/near_optimal.h"
#include "plan/numbers.h"
#include "plan/search/narrowed_search.h"
#include "plan/search/on_mesh.h"
#include "plan/search/runner_ups.h"
#include "plan/search/smallest_plan.h"
#include "plan/space/storage.h"
#include "support/parallel.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace planc::plan {

namespace {

/// The gain, as a part of the seconds, that is worth a search if the answer remains open anyway. It is judged by the
/// bound of the few strategies; all others are given up with them, and count with their own bound.
constexpr double worth_a_search = 0.005;
constexpr double may_be_short = 0.5;  ///< of the limit: a bound on memory from which on it is found anew
constexpr double may_be_proved = 0.9; ///< of the limit: one from which on the smallest plan is found first

class Planner {
  public:
    explicit Planner(const Request &request)
        : request_(request), limit_(memory_limit(request)),
          facts_(std::make_shared<cost::GraphFacts>(request.graph, request.machine)), tables_(request.graph) {
        plan_.memory_limit_bytes = limit_;
    }
    Planner(const Planner &) = delete;
    Planner &operator=(const Planner &) = delete;

    Plan make() {
        const std::vector<MeshShape> shapes = mesh_shapes(request_);
        if (shapes.empty()) {
            plan_.failure = no_mesh();
            return std::move(plan_);
        }
        plan_.meshes = static_cast<int>(shapes.size());
        lower_bound_ = infinity;
        meshes_.resize(shapes.size());
        if (request_.search)
            step_.emplace(index_, facts_);
        support::in_parallel(shapes.size(),
                             [&](std::size_t i) { meshes_[i] = std::make_unique<OnMesh>(request_, shapes[i]); });
        for (const auto &on : meshes_)
            if (const int groups = on->space.most_groups; groups > 0)
                plan_.most_groups = plan_.most_groups == 0 ? groups : std::min(plan_.most_groups, groups);
        least_was_seen_ = plan_.most_groups > 0; // others may need less
        if (!is_too_small() && !is_hardly_enough())
            try_candidates();
        give_up_if_too_slow();
        if (plan_.failure.empty() && best_seconds_ == infinity && best_baseline_ == infinity) {
            plan_.failure = does_not_fit(Bytes(least_bytes_), Bytes(limit_), least_is());
            plan_.out_of_memory = true;
            plan_.least_was_found = least_was_seen_;
            plan_.least_memory = Bytes(least_bytes_);
        }
        count_tables();
        plan_.share = work() / allowed_work(request_);
        if (!plan_.failure.empty())
            return std::move(plan_);
        plan_.lower_bound = Seconds(std::min({lower_bound_, best_seconds_, best_baseline_}));
        finish_baselines();
        if (plan_.note.empty() && (is_cut_short_ || work_left() <= 0) && plan_.gap() > rounding)
            plan_.note = "the search ended after the work that --effort allows";
        if (plan_.note.empty() && least_left_open_ < plan_.cost->seconds().value)
            plan_.note = "too many strategies are nearly as fast for an exact search";
        if (plan_.note.empty() && !is_complete_ && plan_.gap() > rounding)
            plan_.note = "some values have too many readers for an exact search";
        find_runner_ups();
        warn_of_memory();
        return std::move(plan_);
    }

  private:
    /// Where another plan is known and nothing beats it; if nothing fits at all, the failure is another one.
    void give_up_if_too_slow() {
        const double best = std::min(best_seconds_, best_baseline_);
        const double bound = std::min(lower_bound_, best);
        const bool is_out_of_memory = bound == infinity && least_bytes_ > 0;
        if (!is_compared() || best < request_.at_most.value || is_out_of_memory)
            return;
        plan_.failure = "no plan takes less than " + cost::human_seconds(request_.at_most);
        plan_.too_slow = true;
        plan_.lower_bound = request_.at_most;
        if (bound < request_.at_most.value)
            plan_.note = "the search left open whether one does";
    }

    /// Whether there is another plan already, which this one must beat.
    [[nodiscard]] bool is_compared() const { return request_.at_most.value < infinity; }

    [[nodiscard]] Least least_is() const {
        if (plan_.state_is_too_large)
            return Least::state;
        return least_was_seen_ ? Least::found : Least::bound;
    }

    /// Freed on all cores, because freeing takes as long as a search.
    struct Tables {
        sharding::GraphIndex index;
        std::optional<StepStructure> step; ///< where strategies are searched
        std::vector<std::unique_ptr<OnMesh>> meshes;
        explicit Tables(const sharding::Graph &graph) : index(graph) {}
        ~Tables() {
            support::in_parallel(meshes.size(), [this](std::size_t m) { meshes[m].reset(); });
        }
        Tables(const Tables &) = delete;
        Tables &operator=(const Tables &) = delete;
    };
    struct Candidate {
        OnMesh *on = nullptr;
        Storage storage;
        Marginals bounds;
        std::optional<Few> few; ///< computed on demand
    };

    /// Whether no plan can fit the memory, whatever is sharded.
    bool is_too_small() {
        if (!request_.search || limit_ == 0)
            return false;
        std::vector<LeastMemory> least(meshes_.size(), {infinity, infinity});
        support::in_parallel(meshes_.size(), [&](std::size_t i) {
            for (const StorageChoice &choice : storage_choices(request_, meshes_[i]->shape)) {
                const LeastMemory with = least_with(*meshes_[i], choice.storage);
                meshes_[i]->least.emplace_back(choice.storage, with.total);
                least[i] = {std::min(least[i].state, with.state), std::min(least[i].total, with.total)};
            }
        });
        least_bytes_ = infinity;
        double least_state = infinity;
        for (const LeastMemory &of_mesh : least) {
            least_state = std::min(least_state, of_mesh.state);
            least_bytes_ = std::min(least_bytes_, of_mesh.total);
        }
        plan_.state_is_too_large = least_state > limit_;
        if (plan_.state_is_too_large)
            least_bytes_ = least_state; // the rest depends on savings
        if (least_bytes_ > limit_)
            return true;
        least_ = std::exchange(least_bytes_, 0); // the search finds a better bound
        return false;
    }

    /// Whether the smallest plan that is found does not fit either, where little more than the bound is allowed. To
    /// prove that none fits would take many times as long; where plans are few, it is proved.
    bool is_hardly_enough() {
        if (!request_.search || limit_ == 0 || least_ < may_be_proved * limit_ ||
            std::ranges::all_of(meshes_, [](const auto &on) { return is_tiny(on->space); }))
            return false;
        const Plan smallest = smallest_plan(request_, Bytes(infinity));
        if (!has_plan(smallest) || smallest.cost->memory.total().value <= limit_)
            return false;
        least_bytes_ = smallest.cost->memory.total().value;
        least_was_seen_ = true;
        return true;
    }

    /// A lower bound, found anew from all terms where memory may be short and there are not too many strategies.
    [[nodiscard]] LeastMemory least_with(OnMesh &on, const Storage &storage) const {
        LeastMemory least = least_memory(*step_, on.space, on.shape.mesh, request_.machine, storage, on.cache);
        if (!is_compared() && least.total <= limit_ && least.total >= may_be_short * limit_ &&
            is_small(*step_, on.space, request_.effort))
            least.total =
                std::max(least.total, least_memory(request_, *step_, on.shape, on.space, storage, on.cache, limit_));
        return least;
    }

    /// First tries the plans of the literature, and one plan on each mesh, the best by its bounds; then the most
    /// promising meshes, whose plans prune others. Storages that only save memory come last.
    void try_candidates() {
        std::vector<FastestBaselines::OnMesh> of_baselines;
        for (const auto &on : meshes_)
            of_baselines.push_back({&on->shape, &on->space});
        FastestBaselines baselines(request_, index_, *facts_, limit_, std::move(of_baselines));
        std::vector<Candidate> candidates = bounded(baselines);
        best_baseline_ = baselines.least();
        take_best_by_bounds(candidates, baselines);
        plan_.baselines = baselines.take();
        const auto is_better = [](const Candidate &a, const Candidate &b) {
            return a.bounds.lower_bound < b.bounds.lower_bound;
        };
        std::stable_sort(candidates.begin(), candidates.end(), is_better);
        try_first(candidates);
        std::stable_sort(candidates.begin(), candidates.end(), is_better);
        report(candidates, 0);
        for (std::size_t first = 0; first < candidates.size();) {
            first = try_wave(candidates, first);
            report(candidates, first);
        }
        count_tables();
        for (const auto &on : meshes_)
            for (const StorageChoice &choice : storage_choices(request_, on->shape))
                if (choice.saves_memory_only && (plan_.memory_decided || (best_seconds_ == infinity && !is_compared())))
                    try_candidate(candidate_on(*on, choice.storage));
    }

    /// Bounds the meshes, a few at once, those with the fewest strategies first, and prices the baselines that have one
    /// mesh only. Once half of the work is done, the remaining meshes are left open.
    [[nodiscard]] std::vector<Candidate> bounded(FastestBaselines &baselines) {
        std::vector<const OnMesh *> meshes;
        for (const auto &on : meshes_)
            meshes.push_back(on.get());
        std::vector<std::size_t> order = largest_first(meshes);
        std::reverse(order.begin(), order.end());
        std::vector<Candidate> candidates(order.size());
        std::size_t next = 0;
        for (std::size_t alone = baselines.alone(); next < order.size() && (next == 0 || work() <= allowed() / 2);) {
            const std::size_t count = std::min(order.size() - next, most_at_once);
            support::in_parallel(count + std::exchange(alone, 0), [&](std::size_t task) {
                if (task >= count)
                    return baselines.price_alone(task - count);
                const std::size_t mesh = order[next + task];
                candidates[mesh] = candidate_on(*meshes_[mesh], meshes_[mesh]->storages.front());
            });
            next += count;
            count_tables();
        }
        is_cut_short_ = next < order.size();
        if (is_cut_short_)
            least_left_open_ = lower_bound_ = least_computation(request_).value;
        std::erase_if(candidates, [](const Candidate &candidate) { return candidate.on == nullptr; });
        return candidates;
    }

    /// The numbers of some of the candidates.
    [[nodiscard]] static std::vector<std::size_t> longest_first(const std::vector<Candidate> &candidates,
                                                                std::size_t first, std::size_t last) {
        std::vector<const OnMesh *> meshes;
        for (std::size_t i = first; i < last; ++i)
            meshes.push_back(candidates[i].on);
        std::vector<std::size_t> order = largest_first(meshes);
        for (std::size_t &number : order)
            number += first;
        return order;
    }

    [[nodiscard]] Candidate candidate_on(OnMesh &on, const Storage &storage) const {
        Candidate candidate{&on, storage, {}, {}};
        if (request_.search)
            candidate.bounds = bounds_on(on).of(storage, give_up_at());
        return candidate;
    }

    /// With the storage that each mesh was first bounded with.
    [[nodiscard]] std::size_t bound(FastestBaselines &baselines) const {
        const auto at_least = [this](std::size_t mesh, const std::vector<int> &places) {
            return meshes_[mesh]->bounds ? meshes_[mesh]->bounds->of(places) : infinity; // the mesh is left open
        };
        return baselines.bound_others(request_.search ? FastestBaselines::AtLeast(at_least) : nullptr);
    }

    [[nodiscard]] MeshBounds &bounds_on(OnMesh &on) const {
        if (!on.bounds)
            on.bounds.emplace(*step_, on.space, on.shape, request_.machine, on.cache);
        return *on.bounds;
    }

    [[nodiscard]] Few few_of(const Candidate &candidate, double at_most) const {
        OnMesh &on = *candidate.on;
        return few_strategies(*step_, on.space, on.shape, request_.machine, candidate.storage, on.cache,
                              candidate.bounds, at_most, request_.effort);
    }

    /// Prices the plans that the bounds suggest, if they are not far above others, and at the same time the baselines
    /// that exist on several meshes. These plans do not bound anything themselves.
    void take_best_by_bounds(std::vector<Candidate> &candidates, FastestBaselines &baselines) {
        double least = infinity;
        for (const Candidate &candidate : candidates)
            least = std::min(least, candidate.bounds.lower_bound);
        std::vector<Candidate *> ordered; // the promising ones first
        for (Candidate &candidate : candidates)
            ordered.push_back(&candidate);
        const auto others = std::stable_partition(ordered.begin(), ordered.end(), [&](const Candidate *candidate) {
            return request_.search && candidate->bounds.lower_bound <= (1 + near_optimal_margin) * least;
        });
        std::vector<Found> found(static_cast<std::size_t>(others - ordered.begin()));
        const std::size_t groups = bound(baselines);
        support::in_parallel(groups + ordered.size(), groups + found.size(), [&](std::size_t task) {
            if (task < groups)
                return baselines.price_rivals(task);
            const std::size_t i = task - groups;
            if (i < found.size())
                found[i] = best_by_bounds(*ordered[i]);
            ordered[i]->on->cache.transfers.forget(); // tables already contain this for nearly all pairs of placements
        });
        best_baseline_ = baselines.least();
        for (std::size_t i = 0; i < found.size(); ++i)
            take(*ordered[i], found[i]);
    }

    [[nodiscard]] Found best_by_bounds(Candidate &candidate) const {
        const OnMesh &on = *candidate.on;
        Found found;
        found.lower_bound = infinity;
        candidate.few = few_of(candidate, give_up_at());
        if (candidate.few->values.empty()) {
            candidate.few.reset(); // slower than a known plan, which may turn out to leave ranks without work
            return found;
        }
        found.layers = chosen(candidate.few->kept, candidate.few->values);
        found.cost =
            std::make_shared<const CostTable>(evaluate(request_, index_, *facts_, on.shape.mesh, on.shape.axes,
                                                       found.layers, candidate.storage, candidate.on->cache.known));
        found.feasible = limit_ == 0 || found.cost->memory.total().value <= limit_;
        return found;
    }

    /// Searches the most promising candidates, all on different meshes, and at the same time bounds the other storages
    /// of all meshes, which then take their place.
    void try_first(std::vector<Candidate> &candidates) {
        const std::size_t meshes = candidates.size();
        const std::size_t count = std::min(meshes, most_at_once);
        std::vector<Found> found(count);
        std::vector<std::vector<Candidate>> others(meshes);
        count_tables();
        const double at_most = give_up_at();
        // Searches take longest. What remains to be done on their mesh is of the same kind as the rest.
        std::vector<std::size_t> order = longest_first(candidates, 0, count);
        for (std::size_t i : longest_first(candidates, count, meshes))
            order.push_back(i);
        support::in_parallel(meshes, count, [&](std::size_t task) {
            const std::size_t i = order[task];
            if (i < count)
                found[i] = found_by(candidates[i], at_most);
            others[i] = other_storages(*candidates[i].on);
        });
        for (std::size_t i = 0; i < count; ++i)
            take(candidates[i], found[i]);
        candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count));
        searched_first_ = count;
        for (std::vector<Candidate> &of_mesh : others)
            std::move(of_mesh.begin(), of_mesh.end(), std::back_inserter(candidates));
    }

    /// The storages other than the first, which was tried before.
    [[nodiscard]] std::vector<Candidate> other_storages(OnMesh &on) const {
        std::vector<Candidate> others;
        for (std::size_t s = 1; s < on.storages.size(); ++s)
            others.push_back(candidate_on(on, on.storages[s]));
        on.bounds.reset();
        on.cache.forget_tables(); // of all strategies; from here on only few are considered
        return others;
    }

    /// Slower plans are of no interest.
    [[nodiscard]] double give_up_at() const {
        const double known = best_empty_ ? infinity : std::min(best_seconds_, best_baseline_ * (1 + 1e-8));
        return std::min(known, request_.at_most.value);
    }

    /// Searches the next candidates on different meshes at once, and returns the candidate after them. Their number
    /// does not depend on the cores, so the answer does not either.
    std::size_t try_wave(const std::vector<Candidate> &candidates, std::size_t first) {
        std::size_t last = first;
        std::set<const OnMesh *> meshes;
        while (last < candidates.size() && last - first < most_at_once && meshes.insert(candidates[last].on).second)
            ++last;
        count_tables();
        std::vector<Found> found(last - first);
        const double at_most = give_up_at();
        support::in_parallel(found.size(), [&](std::size_t i) { found[i] = found_by(candidates[first + i], at_most); });
        for (std::size_t i = 0; i < found.size(); ++i)
            take(candidates[first + i], found[i]);
        return last;
    }

    /// After the candidates before `next`, in the order of their bounds.
    void report(const std::vector<Candidate> &candidates, std::size_t next) const {
        if (!request_.progress)
            return;
        const double open = next < candidates.size() ? candidates[next].bounds.lower_bound : infinity;
        const double best = std::min(best_seconds_, best_baseline_);
        request_.progress({static_cast<int>(next + searched_first_),
                           static_cast<int>(candidates.size() + searched_first_), Seconds(best),
                           Seconds(std::min({lower_bound_, open, best}))});
    }

    void try_candidate(const Candidate &candidate) { take(candidate, found_by(candidate, give_up_at())); }

    [[nodiscard]] Found found_by(const Candidate &candidate, double at_most) const {
        OnMesh &on = *candidate.on;
        if (!request_.search)
            return only(on, candidate.storage);
        if (const double least = on.least_bytes(candidate.storage); least > limit_)
            return too_large(least);
        const bool open = candidate.bounds.lower_bound < at_most;
        if (open && work_left() <= 0 && is_known())
            return left_open(candidate.bounds.lower_bound);
        const Few few = candidate.few ? *candidate.few : few_of(candidate, at_most);
        if (open && least_left_open_ < at_most && few.lower_bound > (1 - worth_a_search) * at_most)
            return left_open(std::min(few.lower_bound, few.below));
        return narrowed_search(request_, *step_, on.shape, on.space, candidate.storage, on.cache, candidate.bounds, few,
                               {limit_, at_most, std::max(work_left(), least_share * allowed_work(request_))});
    }

    [[nodiscard]] static Found too_large(double least) {
        Found found;
        found.lower_bound = infinity;
        found.memory_decided = true;
        found.least_bytes = least;
        return found;
    }

    [[nodiscard]] static Found left_open(double lower_bound) {
        Found found;
        found.lower_bound = lower_bound;
        found.too_many = true;
        return found;
    }

    void take(const Candidate &candidate, const Found &found) {
        const MeshShape &shape = candidate.on->shape;
        const Space &space = candidate.on->space;
        const Storage &storage = candidate.storage;
        if (found.too_many)
            least_left_open_ = std::min(least_left_open_, found.lower_bound);
        lower_bound_ = std::min(lower_bound_, found.lower_bound);
        work_ += found.work;
        plan_.memory_decided |= found.memory_decided;
        is_complete_ &= found.complete;
        if (!found.feasible) {
            if (found.least_bytes > 0)
                least_bytes_ = least_bytes_ == 0 ? found.least_bytes : std::min(least_bytes_, found.least_bytes);
            least_was_seen_ |= found.least_was_seen;
            return;
        }
        const bool empty = has_empty_blocks(request_, shape, found.layers);
        const double seconds = found.cost->seconds().value;
        if (request_.search && !empty)
            plan_.passed.push_back({shape.axes, shape.mesh, found.layers, storage, found.cost->seconds(), found.cost});
        if (best_seconds_ < infinity && std::pair(empty, seconds) >= std::pair(best_empty_, best_seconds_))
            return;
        best_empty_ = empty;
        best_seconds_ = seconds;
        plan_.axes = shape.axes;
        plan_.mesh = shape.mesh;
        plan_.layers = found.layers;
        plan_.storage = storage;
        plan_.cost = found.cost;
        plan_.choices = number_of_choices(space);
        plan_.note.clear();
    }

    /// For a layout without `auto`: one strategy per layer.
    Found only(OnMesh &on, const Storage &storage) const {
        const MeshShape &shape = on.shape;
        const Space &space = on.space;
        Found found;
        found.values.assign(space.options.size(), 0);
        found.layers = chosen(space, found.values);
        found.cost = std::make_shared<const CostTable>(
            evaluate(request_, index_, *facts_, shape.mesh, shape.axes, found.layers, storage, on.cache.known));
        found.lower_bound = found.cost->seconds().value;
        found.least_bytes = found.cost->memory.total().value;
        found.feasible = limit_ == 0 || found.least_bytes <= limit_;
        return found;
    }

    [[nodiscard]] std::vector<std::unique_ptr<OnMesh>>::const_iterator on_mesh_of_plan() const {
        return std::find_if(meshes_.begin(), meshes_.end(), [this](const auto &mesh) {
            return mesh->shape.axes == plan_.axes && mesh->shape.mesh.sizes == plan_.mesh.sizes;
        });
    }

    /// Ensures that the answer is not worse than any admissible baseline. Elimination guarantees this; an inexact
    /// search may not.
    void finish_baselines() {
        for (const Baseline &baseline : plan_.baselines) {
            const bool better = plan_.layers.empty() || baseline.seconds < plan_.cost->seconds();
            if (!request_.search || !baseline.excluded.empty() || !better)
                continue;
            plan_.axes = baseline.axes;
            plan_.mesh = baseline.mesh;
            plan_.layers = baseline.layers;
            plan_.storage = baseline.storage;
            plan_.cost = baseline.cost;
            plan_.lower_bound = std::min(plan_.lower_bound, plan_.cost->seconds());
        }
    }

    void find_runner_ups() {
        plan_.runner_ups.assign(plan_.layers.size(), std::nullopt);
        if (!request_.search || !request_.runner_ups)
            return;
        const auto on = on_mesh_of_plan();
        plan_.choices = number_of_choices((*on)->space); // a baseline on another mesh may have become the answer
        plan_.runner_ups = runner_ups(*step_, (*on)->shape, (*on)->space, request_.machine, plan_.storage, (*on)->cache,
                                      plan_.layers, limit_);
    }

    /// For plans without a search and without a limit of the user.
    void warn_of_memory() {
        if (limit_ == 0)
            plan_.warning = warning_of_memory(*plan_.cost, request_.machine);
    }

    [[nodiscard]] std::string no_mesh() const {
        std::string sizes;
        for (const MeshAxis &axis : request_.mesh.axes)
            sizes += (sizes.empty() ? "" : ", ") + axis.name + (axis.size ? ": " + std::to_string(axis.size) : "");
        return std::to_string(request_.ranks) + " ranks do not make up the mesh [" + sizes + "]";
    }

    [[nodiscard]] double work_left() const { return allowed() - work(); }
    [[nodiscard]] double allowed() const { return request_.share * allowed_work(request_); }
    [[nodiscard]] double work() const { return work_ + work_of_tables_; }

    /// Between searches that run at once: these see the same.
    void count_tables() {
        work_of_tables_ = 0;
        for (const auto &on : meshes_)
            work_of_tables_ += on->cache.work + on->cache.known.work();
    }

    /// Whether there is a plan, here or elsewhere.
    [[nodiscard]] bool is_known() const { return std::min(best_seconds_, best_baseline_) < infinity || is_compared(); }

    const Request &request_;
    double limit_;
    std::shared_ptr<const cost::GraphFacts> facts_;
    Tables tables_;
    const sharding::GraphIndex &index_ = tables_.index;
    std::optional<StepStructure> &step_ = tables_.step;
    std::vector<std::unique_ptr<OnMesh>> &meshes_ = tables_.meshes;
    Plan plan_;
    double lower_bound_ = 0;
    double best_seconds_ = infinity;
    double best_baseline_ = infinity; ///< seconds, of those that may be the answer
    bool best_empty_ = false;
    bool is_complete_ = true; ///< Found::complete, everywhere
    double work_ = 0;         ///< so far, but for making tables
    double work_of_tables_ = 0;
    bool is_cut_short_ = false; ///< some meshes are left open for lack of work
    double least_ = 0;          ///< bytes: a lower bound of all plans
    double least_bytes_ = 0;
    bool least_was_seen_ = false;       ///< Found::least_was_seen, somewhere
    std::size_t searched_first_ = 0;    ///< by try_first()
    double least_left_open_ = infinity; ///< lower bound of everything that was not compared
};

} // namespace

Plan search_meshes(const Request &request) {
    return Planner(request).make();
}

} // namespace planc::plan
