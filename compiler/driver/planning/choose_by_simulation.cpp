// The part of the pipeline that chooses between plans of nearly the same price.
#include "driver/pipeline.h"

#include "plan/near_optimal.h"

#include <algorithm>
#include <iterator>

namespace planc::driver {

namespace {

constexpr std::size_t most_others = 3;

/// Operations of a step up to which a plan is lowered just to be simulated: some tenths of a second.
constexpr std::size_t most_operations = 5000;

std::vector<const plan::Plan *> pointers(const std::vector<plan::Plan> &plans) {
    std::vector<const plan::Plan *> result;
    for (const plan::Plan &plan : plans)
        result.push_back(&plan);
    return result;
}

} // namespace

bool Pipeline::may_simulate() const {
    const plan::Request &request = request_->request;
    return request.search && request.graph.operations.size() <= most_operations;
}

bool Pipeline::find_step_with_overlap(std::optional<cost::Seconds> &step) {
    if (request_->request.graph.operations.size() > most_operations || options_.print_passes)
        return true;
    if (!scheduled_) {
        std::vector<Scheduled> made = schedules_of({&*plan_}, Extent::all_simulated);
        if (made.empty())
            return false;
        scheduled_ = std::move(made.front());
    }
    if (!scheduled_->overlap)
        scheduled_->overlap = overlap_of(*scheduled_->module, request_->request.machine);
    step = scheduled_->overlap->step;
    return true;
}

bool Pipeline::schedule_candidates() {
    std::vector<plan::Plan> others = plan::near_optimal(request_->request, *plan_, most_others);
    const std::size_t near = others.size();
    // What is likely to be looked at in any case is looked at now, beside the answer, not after it.
    const cost::Seconds likely = 0.5 * (plan_->cost->at_least() + plan_->cost->seconds());
    for (plan::Plan &each : plan::further_baselines(request_->request, *plan_, others, likely))
        others.push_back(std::move(each));
    std::vector<const plan::Plan *> plans = pointers(others);
    if (!scheduled_)
        plans.insert(plans.begin(), &*plan_);
    std::vector<Scheduled> schedules = schedules_of(plans, compared_);
    if (schedules.size() < plans.size())
        return false;
    if (scheduled_) {
        scheduled_->overlap = overlap_of(*scheduled_->module, request_->request.machine);
        schedules.insert(schedules.begin(), std::move(*scheduled_));
        scheduled_.reset();
    }
    candidates_ = {std::move(others), std::move(schedules), near};
    return true;
}

bool Pipeline::choose_by_simulation() {
    if (!may_simulate())
        return true;
    if (!candidates_ && !schedule_candidates())
        return false;
    const plan::Request &request = request_->request;
    Candidates candidates = std::move(*candidates_);
    candidates_.reset();
    auto &[others, schedules, near] = candidates;
    std::vector<plan::SimulatedPlan> simulated = {{*plan_, simulated_step(*plan_, schedules.front())}};
    if (const std::optional<cost::Seconds> step = simulated.front().step) {
        drop_slower_baselines(candidates, *step);
        std::vector<plan::Plan> baselines = plan::further_baselines(request, *plan_, others, *step);
        for (Scheduled &each : schedules_of(pointers(baselines), compared_))
            schedules.push_back(std::move(each));
        std::move(baselines.begin(), baselines.end(), std::back_inserter(others));
        if (schedules.size() < 1 + others.size())
            return false;
        for (std::size_t i = 0; i < others.size(); ++i) {
            const std::optional<cost::Seconds> of_other = simulated_step(others[i], schedules[1 + i]);
            simulated.push_back({std::move(others[i]), of_other});
        }
        auto [chosen, place] = plan::fastest(simulated);
        plan_ = std::move(chosen);
        std::swap(schedules.front(), schedules[place]);
    }
    scheduled_ = std::move(schedules.front());
    schedules.erase(schedules.begin());
    passed_over_ = std::move(schedules);
    return complete(*plan_, *scheduled_);
}

void Pipeline::drop_slower_baselines(Candidates &candidates, cost::Seconds step) const {
    auto &[others, schedules, near] = candidates;
    for (std::size_t i = others.size(); i-- > near;)
        if (plan::least_step(request_->request, *others[i].cost) >= step) {
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            schedules.erase(schedules.begin() + static_cast<std::ptrdiff_t>(1 + i));
        }
}

bool Pipeline::keeps_limit(const plan::Plan &plan, std::int64_t arena_bytes) {
    return plan.memory_limit_bytes == 0 || static_cast<double>(arena_bytes) <= plan.memory_limit_bytes;
}

std::optional<cost::Seconds> Pipeline::simulated_step(const plan::Plan &plan, const Scheduled &scheduled) {
    return keeps_limit(plan, scheduled.compared_bytes) && scheduled.overlap ? std::optional(scheduled.overlap->step)
                                                                            : std::nullopt;
}

} // namespace planc::driver
