// The part of the search that moves minimal covers of sparse matrices: of each pair of ranks the fewest rows, be they
// of the operand or partial ones of the result (autodiff/passes.td, halve-products). That takes twice the messages and
// an addition, so it wins on large graphs.
#include "planning/plan_search.h"

#include "plan/near_optimal.h"
#include "sharding/lay_out.h"

#include <algorithm>
#include <utility>

namespace planc::planning {

namespace {

/// Into how many parts a plan cuts the rows of sparse products, at most.
std::int64_t parts_of_rows(const plan::Request &request, const plan::Plan &plan) {
    std::int64_t most = 1;
    for (const sharding::Operation &operation : request.graph.operations) {
        const std::optional<sharding::SparseLoops> &sparse = operation.nest.sparse;
        if (!sparse || !sparse->lists_rows)
            continue;
        const sharding::Strategy strategy = sharding::bind(plan.layers[operation.layer], operation.nest, plan.mesh);
        std::int64_t parts = 1;
        for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis)
            parts *= strategy.loop_of_axis[axis] == sparse->outer ? plan.mesh.sizes[axis] : 1;
        most = std::max(most, parts);
    }
    return most;
}

bool has_halves(const sharding::Graph &with, const sharding::Graph &without) {
    const auto products = [](const sharding::Graph &graph) {
        return std::ranges::count_if(graph.operations, [](const auto &each) { return each.nest.sparse.has_value(); });
    };
    return products(with) > products(without);
}

} // namespace

/// Takes covers between as many parts as the plan that was found has, or, if it leaves the vertices whole, as there are
/// ranks, if that is faster.
bool PlanSearch::try_covers(double asked, Wanted wanted) {
    const plan::Request &request = found_.step->request();
    if (!request.search || request.ranks == 1 || pinned_.cover > 0 || !has_plan(found_.plan) || !tools_.may_cover)
        return true;
    const std::int64_t rows = parts_of_rows(request, found_.plan);
    const std::int64_t parts = rows > 1 ? rows : request.ranks;
    if (!tools_.may_cover(parts))
        return true;
    const cost::CostTable &found = *found_.plan.cost;
    if (found.communication <= plan::least_gain * found.seconds()) // which is all that covers can save
        return true;
    MemorySavings savings = found_.savings;
    savings.cover = parts;
    Found covered{savings, tools_.derive(savings)};
    if (!covered.step || !has_halves(covered.step->request().graph, request.graph))
        return covered.step != nullptr;
    if (!make_plan(covered, asked, found.seconds()))
        return false;
    plan::ComparedCovers compared{parts, {}, found.seconds()};
    std::optional<Race> raced;
    if (has_plan(covered.plan)) {
        raced = race(covered, found.seconds(), wanted);
        if (!raced || !raced->fits)
            return raced.has_value();
        compared = {parts, raced->step, raced->known, raced->simulated};
    }
    if (!raced || raced->step > (1 - plan::least_gain) * raced->known) {
        found_.plan.covers = compared;
        return true;
    }
    covered.plan.covers = compared;
    covered.plan.baselines = found_.plan.baselines; // of whole matrices, as the literature has them
    covered.plan.simulated = found_.plan.simulated;
    if (std::optional<plan::SimulatedChoice> &choice = covered.plan.simulated) {
        choice->cheapest.reset(); // it is of the other network
        choice->chosen = choice->of_least_sum = raced->step;
        choice->least_sum = covered.plan.cost->seconds();
    }
    found_ = std::move(covered);
    schedule_ = std::move(raced->schedule);
    return true;
}

} // namespace planc::planning
