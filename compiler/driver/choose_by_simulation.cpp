// The part of the pipeline that chooses between plans of nearly the same price.
#include "driver/pipeline.h"

#include "plan/near_optimal.h"
#include "schedule/schedule.h"
#include "timeline/simulate.h"

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
    std::vector<plan::SimulatedPlan> simulated = {{*plan_, simulated_step(*plan_)}};
    if (!simulated.front().step)
        return exit_code_ == 0;
    std::vector<plan::Plan> baselines = plan::further_baselines(request, *plan_, others, *simulated.front().step);
    std::move(baselines.begin(), baselines.end(), std::back_inserter(others));
    for (plan::Plan &other : others) {
        const std::optional<cost::Seconds> step = simulated_step(other);
        if (!step && exit_code_ != 0)
            return false;
        simulated.push_back({std::move(other), step});
    }
    plan_ = plan::fastest(simulated);
    return true;
}

std::optional<cost::Seconds> Pipeline::simulated_step(const plan::Plan &plan) {
    mlir::OwningOpRef<mlir::ModuleOp> derived = module_->clone();
    set_plan(*module_, request_->request.graph, plan);
    const bool done = lay_out(plan) && run_passes([](mlir::OpPassManager &passes) { schedule::add_passes(passes); });
    const bool fits =
        done && (plan.memory_limit_bytes == 0 || static_cast<double>(arena_bytes()) <= plan.memory_limit_bytes);
    std::optional<cost::Seconds> step;
    if (fits)
        step = overlap().step;
    module_ = std::move(derived);
    return step;
}

} // namespace planc::driver
