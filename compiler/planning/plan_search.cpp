#include "planning/plan_search.h"

#include <algorithm>
#include <utility>

namespace planc::planning {

namespace {

constexpr int most_rounds = 8; ///< of planning for less memory, with any savings

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
        schedule_.reset();
        if (!find_plan(asked_limit, asked_limit) || !keep_limit(wanted))
            return std::nullopt;
        if (!found_.plan.failure.empty())
            break;
        if (!choose(wanted) || !complete())
            return std::nullopt;
        if (program_keeps_limit_)
            break;
    }
    return Answer{std::move(found_.plan), std::move(found_.savings), std::move(found_.step), std::move(schedule_)};
}

/// Finds a plan under a limit, with further savings of memory if nothing fits without them; these keep `asked`.
bool PlanSearch::find_plan(double limit, double asked) {
    return make_plan(found_, limit) &&
           (!found_.plan.out_of_memory || !found_.step->request().search || try_savings(asked));
}

bool PlanSearch::make_plan(Found &found, double limit) {
    if (!found.step)
        return false;
    plan::Request &request = found.step->request();
    request.memory_limit_bytes = limit;
    found.plan = tools_.make_plan(request);
    return true;
}

/// Takes the fastest plan among those of the training steps with further savings. If none of them fits either, the plan
/// that was found keeps its failure, which then says how much memory the smallest plan needs.
bool PlanSearch::try_savings(double limit) {
    std::vector<MemorySavings> further = further_savings(pinned_, batch_);
    // If some further savings are already in use, the less costly ones do not fit.
    if (const auto at = std::find(further.begin(), further.end(), found_.savings); at != further.end())
        further.erase(further.begin(), at + 1);
    std::erase_if(further, [this](const MemorySavings &savings) {
        return std::any_of(others_.begin(), others_.end(),
                           [&](const Found &other) { return other.savings == savings; });
    });
    std::optional<Found> best;
    for (const MemorySavings &savings : further) {
        // More micro-batches than the least number that fits only take longer.
        if (best && savings.microbatches > best->savings.microbatches && !savings.recompute.empty())
            break;
        Found next{savings, tools_.derive(savings)};
        if (!make_plan(next, limit))
            return false;
        if (next.plan.out_of_memory)
            found_.plan.least_memory = std::min(found_.plan.least_memory, next.plan.least_memory);
        if (!next.plan.failure.empty())
            continue;
        if (best && best->plan.cost->seconds() <= next.plan.cost->seconds())
            std::swap(*best, next);
        if (best)
            others_.push_back(*std::exchange(best, std::nullopt));
        best = std::move(next);
    }
    if (best)
        found_ = *std::move(best);
    else
        found_.plan.failure = plan::does_not_fit(found_.plan.least_memory, cost::Bytes(found_.plan.memory_limit_bytes));
    return true;
}

/// Finds other plans while the scheduled program takes more memory than requested.
bool PlanSearch::keep_limit(Wanted wanted) {
    const double limit = found_.plan.memory_limit_bytes;
    if (limit == 0 || !found_.step->request().search)
        return true;
    double least_arena = 0; // of all that was scheduled
    for (int round = 1;; ++round) {
        MemoryTarget target = found_.target.value_or(MemoryTarget(limit, least_arena));
        bool may_fit = false;
        if (found_.plan.failure.empty()) {
            if (certainly_fits(limit))
                break;
            if (!schedule_found(limit, wanted))
                return false;
            const std::int64_t arena =
                candidates_ ? candidates_->schedules.front().arena_bytes : schedule_->arena_bytes;
            if (target.keeps(arena))
                break;
            candidates_.reset();
            schedule_.reset();
            may_fit = target.tighten(found_.plan, arena);
        } else if (found_.plan.out_of_memory) {
            may_fit = target.loosen_to_least(found_.plan);
        } else {
            break;
        }
        found_.target = target;
        least_arena = target.least_arena();
        if (may_fit && round < most_rounds) {
            if (!find_plan(target.planned_for(), limit))
                return false;
        } else {
            found_.plan.failure = target.failure(found_.plan);
            if (others_.empty())
                break;
        }
        take_faster_savings();
    }
    found_.plan.memory_limit_bytes = limit;
    return true;
}

/// After the plan has got slower, another one that was passed by may be the fastest.
void PlanSearch::take_faster_savings() {
    const auto fastest = std::min_element(others_.begin(), others_.end(), [](const Found &a, const Found &b) {
        return a.plan.cost->seconds() < b.plan.cost->seconds();
    });
    if (fastest == others_.end())
        return;
    if (!found_.plan.failure.empty()) {
        found_ = std::move(*fastest);
        others_.erase(fastest);
    } else if (fastest->plan.cost->seconds() < found_.plan.cost->seconds()) {
        std::swap(found_, *fastest);
    }
}

/// A schedule that nothing but the memory needs takes longer than the search. The estimate decides alone where the
/// limit is the machine's and the plan takes far less; should the program not keep it, the user is warned.
bool PlanSearch::certainly_fits(double limit) const {
    constexpr double far_less = 0.5;
    return !limit_is_asked_ && !may_simulate() && found_.plan.cost->memory.total().value < far_less * limit;
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
    program_keeps_limit_ = keeps_limit(found_.plan, *arena);
    return true;
}

} // namespace planc::planning
