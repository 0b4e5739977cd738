// A training step whose plans, prices, arenas and times are invented: plans go by name, and every question that the
// search asks is noted.
#pragma once

#include "planning/plan_search.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace planc::planning {

/// What the program of a plan comes to.
struct Figures {
    double step = 0;              ///< seconds, simulated
    std::int64_t step_arena = 1;  ///< bytes, of the training step
    std::int64_t whole_arena = 0; ///< bytes, with evaluation; 0: no more than the step
};

/// A plan by that name.
[[nodiscard]] plan::Plan priced(const std::string &name, double seconds, double estimated_bytes = 1);
/// No plan, for want of memory.
[[nodiscard]] plan::Plan nothing_fits(double least_bytes);
/// Makes `other` one that the search of `answer` passed by, or a plan of the literature.
void add_passed(plan::Plan &answer, const plan::Plan &other);
void add_baseline(plan::Plan &answer, const plan::Plan &other);
[[nodiscard]] std::string name_of(const plan::Plan &plan);

class World {
  public:
    std::map<std::string, Figures> figures; ///< by the name of the plan
    double asked_limit = 0;                 ///< by the layout; bytes
    bool search = true;
    bool pipelines = false;          ///< may be searched
    bool may_divide = true;          ///< a batch into micro-batches
    bool may_accumulate = false;     ///< gradients over micro-batches, for pipelines
    bool pipelines_may_win = true;   ///< by the bounds of the undivided step
    bool may_cover = false;          ///< sparse products
    bool has_halves = true;          ///< covers have rows of both kinds
    std::vector<std::string> blocks; ///< that may be recomputed
    double bytes_of_variables = 0;   ///< of all ranks
    double bytes_of_activations = 0; ///< the same, without micro-batches
    /// The planner: of the training step with these savings under a limit. The limit that held is written for it.
    std::function<plan::Plan(const MemorySavings &, double limit)> make_plan;
    std::function<plan::Plan(const MemorySavings &)> smallest_plan = [](const MemorySavings &) {
        return nothing_fits(0);
    };
    std::function<bool(const MemorySavings &)> can_derive = [](const MemorySavings &) { return true; };
    std::string unschedulable; ///< the plan of this name

    /// What was asked for, in order: "derive 2 recompute", "plan for 100", "schedule step a b", "complete a".
    std::vector<std::string> log;

    [[nodiscard]] std::optional<Answer> run(const MemorySavings &pinned = {}, std::int64_t batch = 4);
};

} // namespace planc::planning
