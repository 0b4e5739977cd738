#include "planning/plan_search.h"

#include "plan/bounds/least_memory.h"
#include "plan/near_optimal.h"
#include "plan/numbers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace planc::planning {

namespace {

constexpr int most_rounds = 8;           ///< of planning for less memory, with any savings
constexpr std::size_t most_smallest = 3; ///< training steps whose smallest plan is searched
constexpr std::size_t fine_enough = 32;  ///< parts of all blocks: recomputing one takes 1 % of a step at most
constexpr cost::Seconds unlimited = plan::Request::unlimited;

bool recomputes_all(const MemorySavings &savings) {
    return std::ranges::find(savings.recompute, "") != savings.recompute.end();
}

plan::Plan too_large(cost::Bytes takes, double asked, plan::Least is = plan::Least::found) {
    plan::Plan plan;
    plan.failure = plan::does_not_fit(takes, cost::Bytes(asked), is);
    plan.out_of_memory = true;
    plan.memory_limit_bytes = asked;
    plan.least_memory = takes;
    plan.least_was_found = is == plan::Least::found;
    return plan;
}

} // namespace

std::optional<Answer> PlanSearch::run() {
    const Found start{pinned_, tools_.derive(pinned_)};
    if (!start.step)
        return std::nullopt;
    const double asked_limit = start.step->request().memory_limit_bytes;
    limit_is_asked_ = asked_limit > 0;
    // Steps are compared without evaluation and prediction. If these need more memory than the limit allows, the search
    // is repeated with whole programs.
    for (const Wanted wanted : {Wanted::simulated_step, Wanted::simulated_program}) {
        found_ = start;
        others_.clear();
        tried_.clear();
        schedule_.reset();
        least_memory_ = 0;
        if (!find_plan(asked_limit, asked_limit) || !keep_limit(wanted))
            return std::nullopt;
        if (found_.plan.failure.empty() && !choose(wanted))
            return std::nullopt;
        if (!try_covers(asked_limit, wanted) || !try_pipelines(asked_limit, wanted))
            return std::nullopt;
        if (!found_.plan.failure.empty())
            break;
        if (!complete())
            return std::nullopt;
        if (program_keeps_limit_)
            break;
    }
    return Answer{std::move(found_.plan), std::move(found_.savings), std::move(found_.step), std::move(schedule_)};
}

/// Finds a plan under a limit, with further savings of memory if nothing fits without them; these keep `asked`.
bool PlanSearch::find_plan(double limit, double asked) {
    if (!make_plan(found_, limit))
        return false;
    if (tried_.empty())
        tried_.push_back({found_.savings, found_.plan.least_memory});
    const plan::Request &request = found_.step->request();
    if (!request.search || (found_.plan.state_is_too_large && limit == asked))
        return true;
    if (has_plan(found_.plan) && found_.plan.memory_decided) // savings may be faster than splits that save memory
        return limit != asked || try_savings(asked);
    if (!found_.plan.out_of_memory)
        return true;
    const double in_force = asked > 0 ? asked : found_.plan.memory_limit_bytes;
    return never_fits(request, in_force) || try_savings(asked);
}

bool never_fits(const plan::Request &request, double limit) {
    return plan::evenly_divided(request.graph, request.ranks, plan::Living::gradients) > limit;
}

bool PlanSearch::make_plan(Found &found, double limit, cost::Seconds at_most) {
    if (!found.step)
        return false;
    plan::Request &request = found.step->request();
    request.memory_limit_bytes = limit;
    request.at_most = at_most;
    request.share = std::max(work_left_, plan::least_share);
    found.plan = tools_.make_plan(request);
    work_left_ -= found.plan.share;
    request.at_most = unlimited;
    return true;
}

namespace {

/// The time of the plan. A step that was given up must gain something to be planned again.
cost::Seconds at_least(const plan::Plan &plan) {
    return has_plan(plan) ? plan.cost->seconds() : (1 + plan::least_gain) * plan.lower_bound;
}

/// With more micro-batches than the best plan has: unless memory decided there, and without recomputation.
bool only_takes_longer(const MemorySavings &savings, const MemorySavings &best, const plan::Plan &of_best) {
    return savings.microbatches > best.microbatches && (!of_best.memory_decided || !savings.recompute.empty());
}

} // namespace

/// Plans with further savings, unless that takes longer than `at_most`. None: one of the tools failed.
std::optional<PlanSearch::Found> PlanSearch::plan_with(const MemorySavings &savings, double asked,
                                                       cost::Seconds at_most) {
    Found next{savings, tools_.derive(savings)};
    if (!next.step)
        return std::nullopt;
    const double limit = asked > 0 ? asked : found_.plan.memory_limit_bytes;
    const plan::Request &request = next.step->request();
    const double least = plan::evenly_divided(request.graph, request.ranks, plan::Living::activations);
    const bool planned = limit == 0 || least <= limit; // else no mesh has to be looked at
    if (!planned)
        next.plan = too_large(cost::Bytes(least), limit, plan::Least::bound);
    else if (!make_plan(next, asked, at_most))
        return std::nullopt;
    tried_.push_back({savings, next.plan.least_memory, planned});
    return next;
}

/// Without those that would divide a batch that must stay whole.
std::vector<MemorySavings> PlanSearch::further() {
    std::vector<MemorySavings> all = further_savings(pinned_, batch_);
    const auto divides = [this](const MemorySavings &savings) { return savings.microbatches > pinned_.microbatches; };
    if (!may_divide_ && std::any_of(all.begin(), all.end(), divides))
        may_divide_ = !tools_.may_divide || tools_.may_divide();
    if (!may_divide_.value_or(true))
        std::erase_if(all, divides);
    return all;
}

/// Takes the fastest plan among the one that was found and those of the training steps with further savings. If none
/// fits, the step is taken that needs the least; its failure says how much.
bool PlanSearch::try_savings(double asked) {
    std::optional<Found> best;
    if (has_plan(found_.plan))
        best = found_;
    for (const MemorySavings &savings : further()) {
        if (was_tried(savings) || (best && only_takes_longer(savings, best->savings, best->plan)))
            continue;
        if (!try_with(savings, asked, best))
            return false;
    }
    if (best && pinned_.recompute.empty() && recomputes_all(best->savings) && !recompute_fewer(asked, best))
        return false;
    if (best)
        found_ = *std::move(best);
    return true;
}

/// `best` becomes the plan with these savings if that is faster.
bool PlanSearch::try_with(const MemorySavings &savings, double asked, std::optional<Found> &best) {
    std::optional<Found> next = plan_with(savings, asked, best ? best->plan.cost->seconds() : unlimited);
    if (!next)
        return false;
    if (tried_.back().planned && next->plan.out_of_memory && next->plan.least_memory < found_.plan.least_memory)
        std::swap(found_, *next);
    found_.plan.least_was_found |= next->plan.out_of_memory && next->plan.least_was_found;
    if (has_plan(next->plan) && (!best || next->plan.cost->seconds() < best->plan.cost->seconds()))
        std::swap(best, next);
    if (next && (has_plan(next->plan) || next->plan.too_slow))
        others_.push_back(*std::move(next));
    return true;
}

/// Computes the activations of fewer blocks again, of as few as the limit seems to demand if each saves as much; where
/// it is not known how much is missing, of half. They are the first ones: what is computed again for them comes last,
/// when the activations of the others are freed.
bool PlanSearch::recompute_fewer(double asked, std::optional<Found> &best) {
    const std::size_t step = step_of_blocks();
    const double limit = best->plan.memory_limit_bytes;
    std::size_t too_few = 0;
    std::size_t enough = tools_.blocks.size();
    MemorySavings savings = best->savings;
    savings.recompute.clear();
    const auto without = std::ranges::find(tried_, savings, &Tried::savings);
    // With too few; 0: there is a slower plan, or it is not known.
    double needed = without == tried_.end() || !without->planned ? 0 : without->least.value;
    while (too_few + step < enough) {
        const double saved = needed - std::min(best->plan.cost->memory.total().value, limit);
        const double missing = needed > limit ? (needed - limit) / saved : 0.5;
        const auto steps = static_cast<std::size_t>(missing * static_cast<double>(enough - too_few));
        const std::size_t count = too_few + std::max(steps, step);
        if (count >= enough)
            break;
        savings.recompute = first_blocks(count);
        if (!try_with(savings, asked, best))
            return false;
        if (best->savings == savings) {
            enough = count;
        } else {
            too_few = count;
            needed = tried_.back().planned ? tried_.back().least.value : 0;
        }
    }
    return true;
}

std::size_t PlanSearch::step_of_blocks() const {
    return 1 + tools_.blocks.size() / (fine_enough + 1);
}

std::vector<std::string> PlanSearch::first_blocks(std::size_t count) const {
    return {tools_.blocks.begin(), tools_.blocks.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Where the program of a plan that recomputes some blocks took more than its estimate: a few more blocks join the
/// others.
bool PlanSearch::try_more_blocks(double asked) {
    const std::size_t count = found_.savings.recompute.size() + step_of_blocks();
    MemorySavings savings = found_.savings;
    if (!recomputes_some(savings) || count >= tools_.blocks.size())
        return true;
    savings.recompute = first_blocks(count);
    return was_tried(savings) || try_beside(savings, asked);
}

bool PlanSearch::recomputes_some(const MemorySavings &savings) const {
    return pinned_.recompute.empty() && !savings.recompute.empty() && !recomputes_all(savings);
}

/// Where a program took more than its plan's estimate, more micro-batches may be faster than a tighter limit: the next
/// number of them joins the others.
bool PlanSearch::try_more_microbatches(double asked) {
    for (const MemorySavings &savings : further()) {
        if (was_tried(savings) || savings.recompute != found_.savings.recompute ||
            savings.microbatches <= found_.savings.microbatches)
            continue;
        return try_beside(savings, asked);
    }
    return true;
}

/// The plan with these savings joins the others, if it may be faster than what is known.
bool PlanSearch::try_beside(const MemorySavings &savings, double asked) {
    std::optional<Found> next = plan_with(savings, asked, seconds_found());
    if (!next)
        return false;
    if (has_plan(next->plan) || next->plan.too_slow)
        others_.push_back(*std::move(next));
    return true;
}

bool PlanSearch::was_tried(const MemorySavings &savings) const {
    return std::ranges::find(tried_, savings, &Tried::savings) != tried_.end();
}

cost::Seconds PlanSearch::seconds_found() const {
    return has_plan(found_.plan) ? found_.plan.cost->seconds() : unlimited;
}

/// Finds other plans while the scheduled program takes more memory than requested.
bool PlanSearch::keep_limit(Wanted wanted) {
    const double asked = found_.plan.memory_limit_bytes;
    if (asked == 0 || !found_.step->request().search || found_.plan.state_is_too_large)
        return true;
    if (has_plan(found_.plan) && !tighten_limit(asked, wanted))
        return false;
    if (found_.plan.out_of_memory && !take_smallest(asked))
        return false;
    found_.plan.memory_limit_bytes = asked;
    return true;
}

bool PlanSearch::tighten_limit(double asked, Wanted wanted) {
    for (int round = 1;; ++round) {
        MemoryTarget target = found_.target.value_or(MemoryTarget(asked));
        bool may_fit = false;
        if (has_plan(found_.plan)) {
            if (certainly_fits(found_.plan, asked))
                return true;
            if (!schedule_found(asked, wanted))
                return false;
            const std::int64_t arena =
                candidates_ ? candidates_->schedules.front().memory_bytes : schedule_->memory_bytes;
            if (target.keeps(arena))
                return true;
            candidates_.reset();
            schedule_.reset();
            least_memory_ = least_memory_ == 0 ? arena : std::min(least_memory_, arena);
            may_fit = target.tighten(found_.plan, arena) && round < most_rounds;
            found_.plan = too_large(cost::Bytes(static_cast<double>(arena)), asked);
        } else if (!found_.plan.out_of_memory) {
            return true;
        }
        found_.target = target;
        if (may_fit && !find_plan(target.planned_for(), asked))
            return false;
        if (!try_more_microbatches(asked) || !try_more_blocks(asked) || !take_faster_savings(asked))
            return false;
        if (!may_fit && !has_plan(found_.plan))
            return true;
    }
}

/// No plan keeps the limit by its estimate, or none does by its program. The program of the smallest plan may; then
/// the fastest plan is taken that needs as much more as the limit leaves.
bool PlanSearch::take_smallest(double asked) {
    std::optional<Found> smallest;
    if (!find_smallest(smallest))
        return false;
    if (!smallest) {
        if (least_memory_ > 0)
            found_.plan = too_large(cost::Bytes(static_cast<double>(least_memory_)), asked);
        return true;
    }
    const cost::Bytes estimate = smallest->plan.cost->memory.total();
    std::vector<Scheduled> made = smallest->step->schedule({&smallest->plan}, Wanted::program);
    if (made.empty())
        return false;
    const double arena = static_cast<double>(made.front().memory_bytes);
    if (arena > asked) {
        const double takes = least_memory_ == 0 ? arena : std::min(arena, static_cast<double>(least_memory_));
        smallest->plan = too_large(cost::Bytes(takes), asked);
        found_ = *std::move(smallest);
        return true;
    }
    Found faster{smallest->savings, smallest->step};
    if (!make_plan(faster, estimate.value * asked / arena))
        return false;
    if (has_plan(faster.plan)) {
        std::vector<Scheduled> of_faster = faster.step->schedule({&faster.plan}, Wanted::program);
        if (of_faster.empty())
            return false;
        if (static_cast<double>(of_faster.front().memory_bytes) <= asked) {
            found_ = std::move(faster);
            schedule_ = std::move(of_faster.front());
            return true;
        }
    }
    found_ = *std::move(smallest);
    found_.plan.lower_bound = faster.plan.lower_bound;
    found_.plan.baselines = std::move(faster.plan.baselines);
    if (found_.step->request().runner_ups)
        plan::add_alternatives(found_.step->request(), found_.plan);
    schedule_ = std::move(made.front());
    return true;
}

/// Of the training steps with any savings: the one of the smallest plan, and this plan. Those with the least bounds are
/// asked first, then those that save more.
bool PlanSearch::find_smallest(std::optional<Found> &smallest) {
    std::vector<Tried> order(tried_.rbegin(), tried_.rend());
    std::erase_if(order, [this](const Tried &tried) { return recomputes_some(tried.savings); });
    if (tried_.size() == 1) // nothing would have helped
        for (const MemorySavings &savings : further())
            order.insert(order.begin(), {savings, cost::Bytes(0)});
    std::ranges::stable_sort(order, {}, [](const Tried &tried) { return std::pair(!tried.planned, tried.least); });
    order.resize(std::min(order.size(), most_smallest));
    cost::Bytes known(std::numeric_limits<double>::infinity());
    for (const auto &[savings, least, planned] : order) {
        if (least >= known)
            continue;
        Found next{savings, tools_.derive(savings)};
        if (!next.step)
            return false;
        next.plan = tools_.smallest_plan(next.step->request(), known);
        if (!has_plan(next.plan))
            continue;
        known = next.plan.cost->memory.total();
        smallest = std::move(next);
    }
    return true;
}

/// After the plan has got slower, another one that was passed by may be the fastest.
bool PlanSearch::take_faster_savings(double asked) {
    while (true) {
        const cost::Seconds known = seconds_found();
        const auto fastest = std::min_element(others_.begin(), others_.end(), [](const Found &a, const Found &b) {
            return at_least(a.plan) < at_least(b.plan);
        });
        if (fastest == others_.end() || at_least(fastest->plan) >= known)
            return true;
        if (!has_plan(fastest->plan)) { // it was given up because another one was faster
            if (!make_plan(*fastest, asked, known))
                return false;
            if (!has_plan(fastest->plan) && !fastest->plan.too_slow)
                others_.erase(fastest);
            continue;
        }
        if (has_plan(found_.plan)) {
            std::swap(found_, *fastest);
        } else {
            found_ = std::move(*fastest);
            others_.erase(fastest);
        }
    }
}

/// A schedule that nothing but the memory needs takes longer than the search. The estimate decides alone where the
/// limit is the machine's and the plan takes far less; should the program not keep it, the user is warned.
bool PlanSearch::certainly_fits(const plan::Plan &plan, double limit) const {
    constexpr double far_less = 0.5;
    return !limit_is_asked_ && !may_simulate() && plan.cost->memory.total().value < far_less * limit;
}

/// Schedules the plan that was found and, if it will probably fit, in parallel the plans that it will be compared with.
bool PlanSearch::schedule_found(double limit, Wanted wanted) {
    constexpr double likely_to_fit = 0.8;
    if (may_simulate() && found_.plan.cost->memory.total().value < likely_to_fit * limit)
        return schedule_candidates(wanted);
    std::vector<Scheduled> made = found_.step->schedule({&found_.plan}, Wanted::program);
    if (made.empty())
        return false;
    schedule_ = std::move(made.front());
    return true;
}

bool PlanSearch::complete() {
    if (!schedule_)
        return true;
    const std::optional<std::int64_t> arena = found_.step->complete(found_.plan, *schedule_);
    if (!arena)
        return false;
    found_.plan.program = cost::Bytes(static_cast<double>(*arena));
    program_keeps_limit_ = keeps_limit(found_.plan, *arena);
    return true;
}

} // namespace planc::planning
