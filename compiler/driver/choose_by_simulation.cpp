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

} // namespace

bool Pipeline::choose_by_simulation() {
    const plan::Request &request = request_->request;
    if (!request.search || request.graph.operations.size() > most_operations)
        return true;
    std::vector<plan::Plan> others = plan::near_optimal(request, *plan_, most_others);
    if (others.empty() && plan::further_baselines(request, *plan_, others, plan_->cost.seconds()).empty())
        return true;
    if (!scheduled_)
        scheduled_ = schedule_of(*plan_);
    if (!scheduled_)
        return false;
    std::vector<plan::SimulatedPlan> simulated = {{*plan_, simulated_step(*plan_, *scheduled_)}};
    if (!simulated.front().step)
        return true;
    std::vector<plan::Plan> baselines = plan::further_baselines(request, *plan_, others, *simulated.front().step);
    std::move(baselines.begin(), baselines.end(), std::back_inserter(others));
    std::vector<mlir::OwningOpRef<mlir::ModuleOp>> schedules; // of the others
    for (plan::Plan &other : others) {
        schedules.push_back(schedule_of(other));
        if (!schedules.back())
            return false;
        const std::optional<cost::Seconds> step = simulated_step(other, *schedules.back());
        simulated.push_back({std::move(other), step});
    }
    auto [chosen, place] = plan::fastest(simulated);
    plan_ = std::move(chosen);
    if (place > 0)
        scheduled_ = std::move(schedules[place - 1]);
    return true;
}

std::optional<cost::Seconds> Pipeline::simulated_step(const plan::Plan &plan, mlir::ModuleOp scheduled) {
    if (plan.memory_limit_bytes > 0 && static_cast<double>(arena_bytes(scheduled)) > plan.memory_limit_bytes)
        return std::nullopt;
    return overlap(scheduled).step;
}

} // namespace planc::driver
