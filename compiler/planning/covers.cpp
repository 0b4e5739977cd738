// The part of the search that moves minimal covers of sparse matrices: of each pair of ranks the fewest rows, be they
// of the operand or partial ones of the result (autodiff/passes.td, halve-products). That takes twice the messages and
// an addition, so it wins on large graphs.
#include "planning/plan_search.h"

#include "plan/near_optimal.h"

#include <utility>

namespace planc::planning {

/// Takes covers between as many parts as there are ranks, if that is faster than the plan that was found.
bool PlanSearch::try_covers(double asked, Wanted wanted) {
    const plan::Request &request = found_.step->request();
    if (!request.search || request.ranks == 1 || pinned_.cover > 0 || !has_plan(found_.plan) || !tools_.may_cover ||
        !tools_.may_cover(request.ranks))
        return true;
    const cost::CostTable &found = *found_.plan.cost;
    if (found.communication <= plan::least_gain * found.seconds()) // which is all that covers can save
        return true;
    MemorySavings savings = found_.savings;
    savings.cover = request.ranks;
    Found covered{savings, tools_.derive(savings)};
    if (!make_plan(covered, asked, found.seconds()))
        return false;
    plan::ComparedCovers compared{request.ranks, {}, found.seconds()};
    std::optional<Race> raced;
    if (has_plan(covered.plan)) {
        raced = race(covered, wanted);
        if (!raced || !raced->fits)
            return raced.has_value();
        compared = {request.ranks, raced->step, raced->known, raced->simulated};
    }
    if (!raced || raced->step > (1 - plan::least_gain) * raced->known) {
        found_.plan.covers = compared;
        return true;
    }
    covered.plan.covers = compared;
    covered.plan.baselines = found_.plan.baselines; // of whole matrices, as the literature has them
    covered.plan.simulated = found_.plan.simulated;
    if (std::optional<plan::SimulatedChoice> &choice = covered.plan.simulated) {
        choice->chosen = choice->of_least_sum = raced->step;
        choice->least_sum = covered.plan.cost->seconds();
    }
    found_ = std::move(covered);
    schedule_ = std::move(raced->schedule);
    return true;
}

} // namespace planc::planning
