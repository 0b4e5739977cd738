// The part of the search that chooses between plans of nearly the same price, by simulated time.
#include "planning/plan_search.h"

#include "plan/near_optimal.h"

#include <iterator>
#include <utility>

namespace planc::planning {

namespace {

constexpr std::size_t most_near = 3; ///< of nearly the price

std::vector<const plan::Plan *> pointers(const std::vector<plan::Plan> &plans) {
    std::vector<const plan::Plan *> result;
    for (const plan::Plan &plan : plans)
        result.push_back(&plan);
    return result;
}

/// The time of the step with overlap; none if the program does not keep the limit on memory.
std::optional<cost::Seconds> simulated_step(const plan::Plan &plan, const Scheduled &schedule) {
    if (!keeps_limit(plan, schedule.memory_bytes) || !schedule.overlap)
        return std::nullopt;
    return schedule.overlap->step;
}

} // namespace

bool keeps_limit(const plan::Plan &plan, std::int64_t memory_bytes) {
    return plan.memory_limit_bytes == 0 || static_cast<double>(memory_bytes) <= plan.memory_limit_bytes;
}

bool PlanSearch::may_simulate() const {
    const plan::Request &request = found_.step->request();
    return request.search && plan::may_be_simulated(request.graph);
}

bool PlanSearch::schedule_candidates(Wanted wanted) {
    const plan::Request &request = found_.step->request();
    std::vector<plan::Plan> others = plan::near_optimal(request, found_.plan, most_near);
    const std::size_t near = others.size();
    // Baselines that will probably be needed anyway are scheduled now, in parallel with the others.
    const cost::Seconds likely = 0.5 * (found_.plan.cost->at_least() + found_.plan.cost->seconds());
    for (plan::Plan &each : plan::further_baselines(request, found_.plan, others, likely))
        others.push_back(std::move(each));
    std::vector<const plan::Plan *> plans = pointers(others);
    if (!schedule_)
        plans.insert(plans.begin(), &found_.plan);
    std::vector<Scheduled> schedules;
    if (!plans.empty())
        schedules = found_.step->schedule(plans, wanted);
    if (schedules.size() < plans.size())
        return false;
    if (schedule_) {
        found_.step->simulate(*schedule_);
        schedules.insert(schedules.begin(), *std::exchange(schedule_, std::nullopt));
    }
    candidates_ = {std::move(others), std::move(schedules), near};
    return true;
}

bool PlanSearch::choose(Wanted wanted) {
    if (!may_simulate())
        return true;
    if (!candidates_ && !schedule_candidates(wanted))
        return false;
    Candidates candidates = *std::exchange(candidates_, std::nullopt);
    auto &[others, schedules, near] = candidates;
    std::vector<plan::SimulatedPlan> simulated = {{found_.plan, simulated_step(found_.plan, schedules.front())}};
    const plan::Request &request = found_.step->request();
    if (const std::optional<cost::Seconds> step = simulated.front().step) {
        drop_slower_baselines(candidates, *step);
        if (!add_baselines(candidates, *step, wanted))
            return false;
        for (std::size_t i = 0; i < others.size(); ++i) {
            const std::optional<cost::Seconds> of_other = simulated_step(others[i], schedules[1 + i]);
            simulated.push_back({std::move(others[i]), of_other});
        }
        auto [chosen, place] = plan::fastest(simulated);
        found_.plan = std::move(chosen);
        if (place > 0 && request.runner_ups)
            plan::add_alternatives(request, found_.plan);
        std::swap(schedules.front(), schedules[place]);
    }
    schedule_ = std::move(schedules.front());
    return true;
}

/// Drops the baselines that cannot be faster than `step` (plan::least_step()).
void PlanSearch::drop_slower_baselines(Candidates &candidates, cost::Seconds step) const {
    auto &[others, schedules, near] = candidates;
    for (std::size_t i = others.size(); i-- > near;)
        if (plan::least_step(found_.step->request(), *others[i].cost) >= step) {
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            schedules.erase(schedules.begin() + static_cast<std::ptrdiff_t>(1 + i));
        }
}

/// Adds the baselines that could be faster than `step` and are not candidates yet.
bool PlanSearch::add_baselines(Candidates &candidates, cost::Seconds step, Wanted wanted) const {
    std::vector<plan::Plan> baselines =
        plan::further_baselines(found_.step->request(), found_.plan, candidates.others, step);
    if (baselines.empty())
        return true;
    std::vector<Scheduled> schedules = found_.step->schedule(pointers(baselines), wanted);
    if (schedules.empty())
        return false;
    std::move(schedules.begin(), schedules.end(), std::back_inserter(candidates.schedules));
    std::move(baselines.begin(), baselines.end(), std::back_inserter(candidates.others));
    return true;
}

} // namespace planc::planning
