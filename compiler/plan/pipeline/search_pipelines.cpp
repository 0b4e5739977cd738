#include "plan/pipeline/search_pipelines.h"

#include "plan/bounds/least_computation.h"
#include "plan/bounds/least_memory.h"
#include "plan/near_optimal.h"
#include "plan/numbers.h"
#include "plan/pipeline/all_pipelines.h"
#include "plan/pipeline/changing_weights.h"
#include "plan/pipeline/cut_search.h"
#include "plan/pipeline/depths.h"
#include "plan/pipeline/least_step.h"
#include "plan/pipeline/local_search.h"
#include "plan/pipeline/positions.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/pipeline/stage_layouts.h"
#include "plan/pipeline/stage_splits.h"
#include "plan/pipeline/stages.h"
#include "plan/search/search_meshes.h"
#include "plan/space/storage.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace planc::plan {

namespace {

constexpr int most_rounds = 6;   ///< of cutting anew where memory is short
constexpr double all_of_few = 8; ///< times most_priced(): plans of small networks, which are laid out in no time
constexpr const char *both_ways = "chimera";

/// For the splits inside the stages of a pipeline that takes less than `at_most`: the busiest stage works for its share
/// of what all do together, but for reshards where the cuts are.
Request inside_stages(const Request &request, const Depth &depth, Seconds at_most) {
    Request inner = with_depth(request, depth);
    inner.runner_ups = false;
    inner.at_most = depth.ranks * at_most;
    return inner;
}

LayerTimes work_of_all_layers(const Request &request) {
    LayerTimes sum;
    for (const LayerTimes &of_layer : layer_times(whole_work(request)))
        sum += of_layer;
    return sum;
}

class PipelineSearch {
  public:
    explicit PipelineSearch(const Request &request)
        : request_(request), wanted_(*request.pipeline), cuts_(request), layouts_(request),
          limit_(memory_limit(request)) {
        if (!wanted_.schedule.empty())
            families_ = {{wanted_.chunks, {wanted_.schedule}}};
        else
            families_ = {{1, searched_schedules(1)}, {2, searched_schedules(2)}, {1, {both_ways}}};
        best_.resize(families_.size());
    }

    Plan make() {
        const Bytes state = least_state(request_);
        if (request_.search && limit_ > 0 && state.value > limit_)
            return without_room_for(state, Least::state);
        const Bytes least(evenly_divided(request_.graph, request_.ranks, Living::activations));
        if (request_.search && limit_ > 0 && least.value > limit_)
            return without_room_for(least, Least::bound);
        for (const Depth &depth : depths(request_)) {
            of_depth_.reset();
            if (!may_be_faster(depth) || try_all(depth))
                continue;
            try_depth(depth);
            if (request_.search && !is_done() && of_depth_ && !is_uneven(request_.mesh))
                take(bettered(with_depth(request_, depth), cuts_, *of_depth_, rules()));
        }
        if (std::ranges::none_of(best_, &std::optional<Plan>::has_value))
            return failed();
        return fastest();
    }

  private:
    /// Schedules with the same stages. The best plan of each is kept, because their prices are not equally exact.
    struct Family {
        int chunks;
        std::vector<std::string> schedules; ///< to choose from, the simplest first
    };

    [[nodiscard]] std::size_t family_of(const Plan &plan) const {
        const auto has_it = [&](const Family &family) {
            return family.chunks == plan.pipeline->chunks &&
                   std::ranges::find(family.schedules, plan.pipeline->schedule) != family.schedules.end();
        };
        return static_cast<std::size_t>(std::ranges::find_if(families_, has_it) - families_.begin());
    }

    /// Whether it may have so many ranks; for one that the user asks for, make_stages() says it.
    [[nodiscard]] bool admits(const Family &family, const Depth &depth) const {
        return family.schedules.front() != both_ways || !wanted_.schedule.empty() ||
               (depth.ranks % 2 == 0 && !is_uneven(request_.mesh));
    }

    /// That a plan must be faster than to be of interest, whatever its number of stages a rank. Some networks and
    /// depths have no pipeline both ways.
    [[nodiscard]] double best_seconds() const {
        double most = 0;
        for (std::size_t family = 0; family < families_.size(); ++family)
            if (family == 0 || families_[family].schedules.front() != both_ways)
                most = std::max(most, best_seconds(family));
        return most;
    }
    [[nodiscard]] double best_seconds(std::size_t family) const {
        return best_[family] ? best_[family]->cost->seconds().value : request_.at_most.value;
    }

    void finish(Plan &plan) const {
        plan.lower_bound = request_.search ? Seconds(std::min(lower_bound_, plan.cost->seconds().value)) : Seconds(0);
        plan.share = share_;
        plan.meshes = meshes_;
        plan.memory_limit_bytes = limit_;
        plan.memory_decided = memory_decided_;
        warn_of_memory(plan);
        if (request_.search && request_.runner_ups)
            add_alternatives_by_stage(request_, plan);
    }

    /// With the fastest of the other families beside it.
    Plan fastest() {
        std::vector<Plan> all;
        for (std::optional<Plan> &plan : best_)
            if (plan) {
                finish(*plan);
                all.push_back(*std::move(plan));
            }
        std::ranges::stable_sort(all, {}, [](const Plan &plan) { return plan.cost->seconds(); });
        Plan first = std::move(all.front());
        first.other_pipelines.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
        return first;
    }

    [[nodiscard]] double least_computation(const Depth &depth) {
        if (!request_.search)
            return 0;
        if (!work_)
            work_ = work_of_all_layers(request_);
        if (is_uneven(request_.mesh)) // some stage works for as long as all ranks together would
            return work_->of_step(request_.graph.microbatches).value / request_.ranks;
        return least_step(*work_, request_.graph.microbatches, request_, depth, Seconds(best_seconds())).value;
    }

    [[nodiscard]] bool may_be_faster(const Depth &depth) {
        const double computation = least_computation(depth);
        too_slow_ |= computation >= best_seconds();
        lower_bound_ = std::min({lower_bound_, computation, best_seconds()});
        return computation < best_seconds();
    }

    /// Prices all pipelines of the depth, if they are few and the user leaves schedule and cuts open.
    bool try_all(const Depth &depth) {
        if (!request_.search || is_uneven(request_.mesh) || !wanted_.schedule.empty() || !wanted_.cuts.empty())
            return false;
        std::vector<PipelinePlan> kinds;
        for (const Family &family : families_)
            if (admits(family, depth))
                kinds.push_back({depth.axis, family.schedules.front(), family.chunks, {}});
        return visit_all(with_depth(request_, depth), cuts_, kinds, depth.ranks, all_of_few * most_priced(request_),
                         [this](const Plan &each) {
                             const Plan plan = priced(each, /*all=*/true);
                             memory_decided_ |= !fits(plan);
                             take(plan);
                         });
    }

    void try_depth(const Depth &depth) {
        if (searches_ >= request_.share && best_seconds() < infinity)
            return;
        if (is_uneven(request_.mesh))
            return try_uneven(depth);
        Request inner = inside_stages(request_, depth, Seconds(best_seconds()));
        inner.baselines = request_.search;
        inner.share = share_left();
        Plan plan = search_meshes(inner);
        share_ += plan.share;
        searches_ += plan.share;
        meshes_ += plan.meshes;
        if (!plan.failure.empty()) {
            too_slow_ |= plan.too_slow;
            if (!plan.too_slow)
                failure_ = plan.failure;
            return;
        }
        const std::vector<Baseline> baselines = std::exchange(plan.baselines, {});
        for (const Family &family : families_) {
            const std::optional<Splits> splits = in_stages({plan, {}, {}}, depth, family);
            if (!splits)
                continue;
            if (is_promising(*splits))
                try_splits(*splits);
            for (const Baseline &baseline : baselines)
                if (baseline.excluded.empty())
                    try_baseline(*splits, baseline);
        }
    }

    void try_uneven(const Depth &depth) {
        Splits splits = splits_by_position(request_, depth);
        meshes_ += splits.plan.meshes;
        if (failure_ = splits.plan.failure; !failure_.empty())
            return;
        for (const Family &family : families_)
            if (const std::optional<Splits> staged = in_stages(splits, depth, family))
                try_splits(*staged);
    }

    [[nodiscard]] std::optional<Splits> in_stages(Splits splits, const Depth &depth, const Family &family) {
        if (!admits(family, depth))
            return std::nullopt;
        PipelinePlan pipeline{depth.axis, family.schedules.front(), family.chunks, {}};
        if (splits.costs.at.empty())
            splits.costs.at = {splits.plan.cost};
        std::string failure = make_stages(cuts_, splits.costs, depth.ranks, pipeline);
        if (!failure.empty()) {
            failure_ = failure_.empty() ? std::move(failure) : failure_;
            return std::nullopt;
        }
        splits.plan.pipeline = std::move(pipeline);
        splits.set_layers(splits.plan);
        return splits;
    }

    /// The plans of the literature, split like this inside stages of about equal work.
    void try_baseline(Splits splits, const Baseline &baseline) {
        Plan &plan = splits.plan;
        plan.axes = baseline.axes;
        plan.mesh = baseline.mesh;
        plan.layers = baseline.layers;
        plan.storage = baseline.storage;
        plan.cost = baseline.cost;
        splits.costs.at = {baseline.cost};
        plan.pipeline->stages = cuts_.stages(cuts_.balanced(cuts_.seconds(splits.costs)));
        if (is_promising(splits))
            take(priced(plan));
    }

    /// By the prices of its layers, before its stages are priced.
    [[nodiscard]] bool is_promising(const Splits &splits) {
        const CutSearch search(cuts_, splits.costs, ranks_of_pipeline(splits.plan));
        const Begins begins = cuts_.begins(splits.plan.pipeline->stages);
        double least = infinity;
        const int chunks = splits.plan.pipeline->chunks;
        for (const std::string &schedule : families_[family_of(splits.plan)].schedules)
            least = std::min(least, search.seconds(begins, schedule, chunks));
        const bool promising = !request_.search || (1 - near_optimal_margin) * least < best_seconds();
        too_slow_ |= !promising;
        return promising;
    }

    void try_splits(const Splits &splits) {
        const Plan plan = with_best_cuts(splits, priced(splits.plan));
        if (fits(plan) || !request_.search) {
            take(plan);
            if (request_.search && !is_done())
                take(with_best_cuts({plan, splits.costs, {}}, with_splits_by_stage(plan, plan.storage)));
            return;
        }
        memory_decided_ = true;
        const std::size_t candidates = fitting_;
        take(plan);
        const Plan cut_anew = cut_for_memory(splits, plan);
        take(cut_anew);
        for (const StorageChoice &choice : storage_choices(request_, {plan.axes, plan.mesh})) {
            if ((fitting_ > candidates && choice.saves_memory_only) || (is_done() && best_seconds() < infinity))
                break;
            for (const Plan *each : {&plan, &cut_anew})
                take(with_splits_by_stage(*each, choice.storage));
        }
    }

    /// Whether plans are bettered no longer.
    [[nodiscard]] bool is_done() const { return share_ >= request_.share; }

    [[nodiscard]] double share_left() const { return std::max(request_.share - share_, least_share); }

    [[nodiscard]] std::optional<LayerStrategies> by_stage(const Plan &plan, const Storage &storage) {
        StageSplits splits = splits_by_stage(request_, plan, storage, share_left());
        share_ += splits.share;
        return std::move(splits.layers);
    }
    [[nodiscard]] Plan with_splits_by_stage(Plan plan, const Storage &storage) {
        std::optional<LayerStrategies> layers = by_stage(plan, storage);
        if (!layers || (*layers == plan.layers && storage == plan.storage))
            return plan;
        plan.layers = *std::move(layers);
        plan.storage = storage;
        return priced(plan);
    }

    [[nodiscard]] bool fits(const Plan &plan) const { return limit_ == 0 || plan.cost->memory.total().value <= limit_; }

    /// The same plan by the fastest schedule that fits the memory, or by the one that needs the least. Schedules that
    /// would be slower with the times of the first one are passed by; with `all`, those that would be far from the
    /// best.
    [[nodiscard]] Plan priced(Plan plan, bool all = false) {
        const int chunks = plan.pipeline->chunks;
        const std::size_t family = family_of(plan);
        const std::vector<std::string> &schedules = families_[family].schedules;
        plan.pipeline->schedule = schedules.front();
        price(plan);
        std::vector<std::pair<double, std::string>> others;
        for (std::size_t i = 1; i < schedules.size(); ++i)
            others.emplace_back(seconds_with(schedules[i], ranks_of_pipeline(plan), chunks, request_.graph.microbatches,
                                             *plan.cost->pipeline)
                                    .value,
                                schedules[i]);
        std::stable_sort(others.begin(), others.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first * (1 - rounding); });
        for (const auto &[seconds, schedule] : others) {
            const double known = all ? best_seconds(family) / (1 - near_optimal_margin) : plan.cost->seconds().value;
            if (fits(plan) && known <= seconds * (1 + rounding))
                continue;
            Plan other = plan;
            other.pipeline->schedule = schedule;
            price(other);
            if (is_better(other, plan))
                plan = std::move(other);
        }
        return plan;
    }

    void price(Plan &plan) {
        plan.cost = std::make_shared<const CostTable>(price_pipeline(request_, plan, layouts_));
        share_ += work_of_price(request_) / allowed_work(request_);
    }

    [[nodiscard]] bool is_better(const Plan &a, const Plan &b) const {
        if (!fault_of_changes(request_, ranks_of_pipeline(a), a.pipeline->stages).empty())
            return false;
        if (fits(a) != fits(b))
            return fits(a);
        return fits(a) ? a.cost->seconds().value < b.cost->seconds().value * (1 - rounding)
                       : a.cost->memory.total() < b.cost->memory.total();
    }

    [[nodiscard]] Plan with_stages(const Splits &splits, Plan plan, const Begins &begins) {
        plan.pipeline->stages = cuts_.stages(begins);
        splits.set_layers(plan);
        return priced(std::move(plan));
    }

    [[nodiscard]] PipelineRules rules() {
        return {[this](Plan plan) { return priced(std::move(plan), /*all=*/true); },
                [this](const Plan &a, const Plan &b) { return is_better(a, b); },
                [this](Plan plan) {
                    if (std::optional<LayerStrategies> layers = by_stage(plan, plan.storage))
                        plan.layers = *std::move(layers);
                    return plan;
                }};
    }

    /// Moves cuts as long as that helps by the times of the layers. Prices take longer: after 1, 2, 4, … moves and the
    /// last one, the best of them is taken. `best` has the stages and the price to begin with.
    [[nodiscard]] Plan with_best_cuts(const Splits &splits, Plan best) {
        if (!wanted_.cuts.empty())
            return best;
        const CutSearch search(cuts_, splits.costs, ranks_of_pipeline(splits.plan));
        const PipelinePlan first = *best.pipeline;
        Begins begins = cuts_.begins(first.stages);
        int moves = 0;
        int priced_after = 0; // moves
        for (int next = 1; next > 0 && !is_done();) {
            const std::optional<Begins> moved = search.moved(begins, first.schedule, first.chunks);
            if (moved) {
                begins = *moved;
                ++moves;
            }
            if (moves > priced_after && (!moved || moves == next)) {
                priced_after = moves;
                if (Plan other = with_stages(splits, best, begins); is_better(other, best))
                    best = std::move(other);
            }
            next = !moved ? 0 : moves == next ? 2 * next : next;
        }
        return best;
    }

    /// Gives fewer layers to stages that take more memory than there is.
    [[nodiscard]] Plan cut_for_memory(const Splits &splits, Plan best) {
        std::vector<std::vector<double>> weights = cuts_.seconds(splits.costs);
        const int rounds = wanted_.cuts.empty() && !(is_done() && best_seconds() < infinity) ? most_rounds : 0;
        for (int round = 0; round < rounds && !fits(best); ++round) {
            const std::vector<cost::StageRow> &rows = best.cost->pipeline->stages;
            for (std::size_t place = 0; place < wanted_.layers.size(); ++place) {
                const int stage = best.pipeline->stages.of[wanted_.layers[place]];
                for (std::vector<double> &of_stage : weights)
                    of_stage[place] *= rows[static_cast<std::size_t>(stage)].memory.total().value / limit_;
            }
            Plan other = with_stages(splits, best, cuts_.balanced(weights));
            if (is_better(other, best))
                best = std::move(other);
        }
        return best;
    }

    void take(const Plan &plan) {
        if (!of_depth_ || is_better(plan, *of_depth_))
            of_depth_ = plan;
        if (!fits(plan)) {
            const Bytes needed = plan.cost->memory.total();
            least_memory_ = least_memory_.value == 0 ? needed : std::min(least_memory_, needed);
            return;
        }
        ++fitting_;
        const std::size_t family = family_of(plan);
        if (plan.cost->seconds().value < best_seconds(family) * (1 - rounding))
            best_[family] = plan;
        else
            too_slow_ |= !best_[family];
    }

    [[nodiscard]] Plan failed() const {
        Plan plan;
        plan.share = share_;
        plan.memory_limit_bytes = limit_;
        if (too_slow_ && request_.at_most < Request::unlimited) {
            plan.failure = "no pipeline that was searched is faster";
            plan.too_slow = true;
            plan.lower_bound = Seconds(std::min(lower_bound_, request_.at_most.value));
        } else if (least_memory_.value > 0) {
            plan.failure = does_not_fit(least_memory_, Bytes(limit_), Least::found);
            plan.out_of_memory = true;
            plan.least_memory = least_memory_;
            plan.least_was_found = true;
        } else {
            plan.failure = failure_.empty() ? "no axis of the mesh can have the stages of a pipeline" : failure_;
        }
        return plan;
    }

    [[nodiscard]] Plan without_room_for(Bytes least, Least is) const {
        Plan plan;
        plan.memory_limit_bytes = limit_;
        plan.failure = does_not_fit(least, Bytes(limit_), is);
        plan.out_of_memory = true;
        plan.state_is_too_large = is == Least::state;
        plan.least_memory = least;
        return plan;
    }

    /// For plans without a search and without a limit of the user.
    void warn_of_memory(Plan &plan) const {
        if (limit_ == 0)
            plan.warning = warning_of_memory(*plan.cost, request_.machine);
    }

    const Request &request_;
    const PipelineRequest &wanted_;
    Cuts cuts_;
    StageLayouts layouts_;
    double limit_;
    std::optional<LayerTimes> work_; ///< where strategies are searched
    std::vector<Family> families_;
    std::vector<std::optional<Plan>> best_; ///< by family
    std::optional<Plan> of_depth_;          ///< the best of the depth, whether it fits or not
    double lower_bound_ = infinity;
    double share_ = 0;    ///< Plan::share
    double searches_ = 0; ///< of that, searches of the splits for all stages together
    int meshes_ = 0;
    std::size_t fitting_ = 0; ///< plans
    bool memory_decided_ = false;
    bool too_slow_ = false;
    Bytes least_memory_{};
    std::string failure_;
};

} // namespace

Plan search_pipelines(const Request &request) {
    return PipelineSearch(request).make();
}

PipelineChance chance_of_pipelines(const Request &request, int microbatches, Seconds at_most, ChancesOfDepths &known) {
    if (is_uneven(request.mesh))
        return {};
    PipelineChance chance{false, at_most};
    LayerTimes work = work_of_all_layers(request);
    for (Seconds LayerTimes::*part :
         {&LayerTimes::forward, &LayerTimes::input_gradients, &LayerTimes::weight_gradients})
        work.*part = (1.0 / microbatches) * (work.*part);
    for (const Depth &depth : depths(request, microbatches, /*any_depth=*/false)) {
        const Seconds least = least_step(work, microbatches, request, depth, at_most);
        if (least >= at_most)
            continue;
        chance.bound = std::min(chance.bound, least);
        const auto [of_depth, is_new] = known.try_emplace({depth.axis, depth.ranks});
        if (is_new) {
            Request inner = inside_stages(request, depth, at_most);
            inner.machine = with_all_in_cache(std::move(inner.machine));
            inner.baselines = false;
            inner.share = least_share;
            const Plan plan = search_meshes(inner);
            chance.share += plan.share;
            of_depth->second = !plan.too_slow || !plan.note.empty();
        }
        chance.may_win = of_depth->second;
        if (chance.may_win)
            break;
    }
    return chance;
}

} // namespace planc::plan
