// The part of the search that finds pipelines: a training step for each number of micro-batches, and in it the depth,
// the cuts, the schedule and the splits (plan/pipeline/search_pipelines.h).
#include "planning/plan_search.h"

#include "plan/near_optimal.h"
#include "plan/pipeline/depths.h"

#include <algorithm>
#include <utility>

namespace planc::planning {

std::vector<MemorySavings> PlanSearch::counts_of_pipelines() const {
    std::vector<MemorySavings> all = {pinned_};
    if (tools_.may_accumulate && tools_.may_accumulate())
        for (const MemorySavings &savings : further_savings(pinned_, batch_))
            if (savings.recompute == pinned_.recompute)
                all.push_back(savings);
    return all;
}

/// Takes a pipeline if it is faster than the plan that was found, or if there is no other plan.
bool PlanSearch::try_pipelines(double asked, Wanted wanted) {
    const plan::Request &request = found_.step->request();
    if (!request.search || !request.pipeline || request.ranks == 1)
        return true;
    if (!has_plan(found_.plan) && never_fits(request, found_.plan.memory_limit_bytes))
        return true;
    const bool is_wanted = request.pipeline->wanted; // then pinned_ was planned already
    plan::PassedPipelines passed;
    passed.bound = found_.plan.pipeline ? found_.plan.lower_bound : step_found();
    passed.answer = step_found();
    if (is_wanted && has_plan(found_.plan) && !take_others(found_, passed, wanted))
        return false;
    std::optional<Found> best;
    plan::ChancesOfDepths chances;
    for (const MemorySavings &savings : counts_of_pipelines()) {
        if (is_wanted && savings == pinned_)
            continue;
        // With one micro-batch, the stages wait for each other all the time.
        const bool any_depth = savings == pinned_ && (is_wanted || !has_plan(found_.plan) || pinned_.microbatches > 1);
        if (plan::depths(request, static_cast<int>(savings.microbatches), any_depth).empty())
            continue;
        const cost::Seconds known = best ? best->plan.cost->seconds() : step_found();
        if (!any_depth && !may_win(savings, known, chances, passed))
            continue;
        Found next{savings, tools_.derive(savings)};
        if (!next.step)
            return false;
        next.step->request().pipeline->wanted = true;
        next.step->request().pipeline->any_depth = any_depth;
        if (!make_plan(next, asked, known))
            return false;
        if (!has_plan(found_.plan) && next.plan.least_was_found && next.plan.least_memory < found_.plan.least_memory) {
            found_.plan.failure = next.plan.failure;
            found_.plan.least_memory = next.plan.least_memory;
        }
        if (has_plan(next.plan) || next.plan.too_slow)
            passed.bound = std::min(passed.bound, next.plan.lower_bound);
        if (has_plan(next.plan))
            best = std::move(next);
    }
    if (best && (!take_if_faster(*best, passed, wanted) || !take_others(*best, passed, wanted)))
        return false;
    if (!found_.plan.pipeline)
        found_.plan.passed_pipelines = passed;
    return true;
}

/// Whether a pipeline with so many micro-batches may take less than `known`, before their step is derived. Once the
/// work is used up, the answer is yes: the question costs as much as a plan.
bool PlanSearch::may_win(const MemorySavings &savings, cost::Seconds known, plan::ChancesOfDepths &chances,
                         plan::PassedPipelines &passed) {
    const bool is_undivided = found_.savings == MemorySavings{1, savings.recompute};
    if (!has_plan(found_.plan) || !is_undivided || work_left_ <= 0)
        return true;
    const auto count = static_cast<int>(savings.microbatches);
    const plan::PipelineChance chance = tools_.chance_of_pipelines(found_.step->request(), count, known, chances);
    work_left_ -= chance.share;
    if (!chance.may_win)
        passed.bound = std::min(passed.bound, chance.bound);
    return chance.may_win;
}

/// Where simulation decides, also tries the pipelines with other numbers of stages a rank.
bool PlanSearch::take_others(Found pipeline, plan::PassedPipelines &passed, Wanted wanted) {
    const std::vector<plan::Plan> others = std::move(pipeline.plan.other_pipelines);
    for (const plan::Plan &other : others)
        if (may_simulate() && !take_if_faster({pipeline.savings, pipeline.step, other}, passed, wanted))
            return false;
    return true;
}

/// The plans of the literature and the simulations stay those of the plan without a pipeline.
void PlanSearch::stand_beside(plan::Plan &pipeline, cost::Seconds without, cost::Seconds step) {
    pipeline.without_pipeline = found_.plan.pipeline ? found_.plan.without_pipeline : without;
    pipeline.baselines = found_.plan.baselines;
    pipeline.covers = found_.plan.covers;
    pipeline.simulated = found_.plan.simulated;
    if (pipeline.simulated) {
        pipeline.simulated->chosen = step;
        pipeline.simulated->cheapest.reset(); // it has no pipeline
    }
}

/// Schedules the plan, which is planned again, at a price of `at_most`, while its program takes too much memory. None:
/// one of the tools failed.
std::optional<PlanSearch::Race> PlanSearch::race(Found &other, cost::Seconds at_most, Wanted wanted) {
    Race race;
    const double asked = other.plan.memory_limit_bytes;
    MemoryTarget target(asked);
    while (may_simulate() || (asked > 0 && !certainly_fits(other.plan, asked))) {
        std::vector<Scheduled> made = other.step->schedule({&other.plan}, may_simulate() ? wanted : Wanted::program);
        if (made.empty())
            return std::nullopt;
        race.schedule = std::move(made.front());
        if (asked == 0 || target.keeps(race.schedule->memory_bytes))
            break;
        if (!target.tighten(other.plan, race.schedule->memory_bytes))
            return race;
        if (!make_plan(other, target.planned_for(), at_most))
            return std::nullopt;
        if (!has_plan(other.plan))
            return race;
    }
    other.plan.memory_limit_bytes = asked;
    race.fits = true;
    race.simulated = race.schedule && race.schedule->overlap && schedule_ && schedule_->overlap;
    race.step = race.simulated ? race.schedule->overlap->step : other.plan.cost->seconds();
    race.known = race.simulated || !has_plan(found_.plan) ? step_found() : found_.plan.cost->seconds();
    return race;
}

bool PlanSearch::take_if_faster(Found pipeline, plan::PassedPipelines &passed, Wanted wanted) {
    std::optional<Race> raced = race(pipeline, step_found(), wanted);
    if (!raced || !raced->fits)
        return raced.has_value();
    const auto &[schedule, step, known, simulated, fits] = *raced;
    if (!passed.fastest || step < *passed.fastest)
        passed = {passed.bound,
                  step,
                  known,
                  simulated,
                  pipeline.plan.pipeline->stages.count,
                  static_cast<int>(pipeline.savings.microbatches),
                  pipeline.plan.pipeline->schedule};
    if (step > (1 - plan::least_gain) * known)
        return true;
    pipeline.plan.lower_bound = std::min(passed.bound, pipeline.plan.cost->seconds());
    if (has_plan(found_.plan))
        stand_beside(pipeline.plan, known, step);
    found_ = std::move(pipeline);
    schedule_ = std::move(raced->schedule);
    return true;
}

/// With overlap, if it was simulated; infinite: there is no plan.
cost::Seconds PlanSearch::step_found() const {
    return has_plan(found_.plan) && schedule_ && schedule_->overlap ? schedule_->overlap->step : seconds_found();
}

} // namespace planc::planning
