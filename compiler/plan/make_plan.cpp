#include "cost/reports/report.h"
#include "plan/bounds/least_memory.h"
#include "plan/pipeline/search_pipelines.h"
#include "plan/search/runner_ups.h"
#include "plan/search/search_meshes.h"

namespace planc::plan {

double Plan::gap() const {
    return cost->seconds().value > 0 ? (cost->seconds() - lower_bound) / cost->seconds() : 0;
}

Bytes least_state(const Request &request) {
    return Bytes(evenly_divided(request.graph, request.ranks, Living::state));
}

std::string does_not_fit(Bytes least, Bytes limit, Least is) {
    std::string needed = "about " + cost::human_bytes(least);
    std::string given = cost::human_bytes(limit);
    if (needed == "about " + given) {
        needed = cost::grouped(least.value) + " bytes";
        given = cost::grouped(limit.value) + " bytes";
    }
    const std::string start = "no plan fits the memory: ";
    const std::string end = ", the limit is " + given;
    if (is == Least::found)
        return start + "the smallest one found takes " + needed + " of a rank" + end;
    return start + "a rank needs " + needed + " at least" +
           (is == Least::state ? " for parameters and optimizer state alone" : " by the planner's estimate") + end;
}

std::string warning_of_memory(const CostTable &cost, const Machine &machine) {
    const double memory = cost.memory.total().value;
    if (machine.memory_bytes == 0 || memory <= machine.memory_bytes)
        return {};
    return "needs up to " + cost::human_bytes(Bytes(memory)) + " a rank, machine '" + machine.name + "' has " +
           cost::human_bytes(Bytes(machine.memory_bytes));
}

Plan make_plan(const Request &request) {
    return request.pipeline && request.pipeline->wanted ? search_pipelines(request) : search_meshes(request);
}

PerLayer<std::optional<RunnerUp>> find_runner_ups(const Request &request, const Plan &plan) {
    const sharding::GraphIndex index(request.graph);
    const StepStructure step(index, request.machine);
    const MeshShape shape{plan.axes, plan.mesh};
    const Space space = make_space(request, shape);
    TermCache cache(shape.mesh, request.machine);
    return runner_ups(step, shape, space, request.machine, plan.storage, cache, plan.layers, plan.memory_limit_bytes);
}

void add_alternatives(const Request &request, Plan &plan) {
    plan.choices = number_of_choices(make_space(request, {plan.axes, plan.mesh}));
    plan.runner_ups = find_runner_ups(request, plan);
}

} // namespace planc::plan
