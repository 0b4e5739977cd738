// PlanSearch: finds the plan for a training step, which may be derived in several ways.
//
// The planner (compiler/plan) works with sums of prices and estimates of memory. The exact memory of a plan's program,
// and the time of its step with overlap, are known only after it is laid out, scheduled and simulated. The search
// combines both, in these steps:
//
//   find a plan      under the limit on memory; if none fits, with further savings of memory (memory_savings.h)
//   keep the limit   schedule the plan; while its arena is too large, find another one (memory_target.h); at last the
//                    smallest one (plan/search/smallest_plan.h)
//   choose           take the fastest in simulation of the plans of nearly the same price and of the literature's plans
//   try covers       move minimal covers of sparse matrices; take that if it is faster
//   try pipelines    with each number of micro-batches; take the fastest if that is faster still
//   complete         schedule what the comparison left out
//
// Deterministic: nothing depends on how fast this machine is.
#pragma once

#include "planning/memory_savings.h"
#include "planning/memory_target.h"
#include "planning/training_step.h"

#include "plan/pipeline/search_pipelines.h"
#include "plan/search/smallest_plan.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace planc::planning {

/// The functions that the search uses. A function that fails reports the reason to the user itself.
struct Tools {
    /// The training step with these savings. Null: it cannot be derived.
    std::function<std::shared_ptr<TrainingStep>(const MemorySavings &)> derive;
    std::function<plan::Plan(const plan::Request &)> make_plan = plan::make_plan;
    std::function<plan::Plan(const plan::Request &, cost::Bytes known)> smallest_plan = plan::smallest_plan;
    std::function<plan::PipelineChance(const plan::Request &, int microbatches, cost::Seconds at_most,
                                       plan::ChancesOfDepths &)>
        chance_of_pipelines = plan::chance_of_pipelines;
    /// The blocks that recomputation may be limited to, as selectors in the order of the network.
    std::vector<std::string> blocks = {};
    /// Whether a batch can be divided into micro-batches. None: it can.
    std::function<bool()> may_divide;
    /// Whether sparse products can move minimal covers between so many parts. None: there are no such products.
    std::function<bool(std::int64_t parts)> may_cover;
    /// Whether the results stay the same if gradients are summed over micro-batches. None: not known.
    std::function<bool()> may_accumulate;
};

struct Answer {
    plan::Plan plan; ///< Plan::failure says why there is none
    MemorySavings savings;
    std::shared_ptr<TrainingStep>
        step;                          ///< with these savings; its request has the limit on memory that was planned for
    std::optional<Scheduled> schedule; ///< of the plan's whole program; none: choosing the plan did not need it
};

/// Whether a program that takes so many bytes of a rank keeps the requested limit on memory.
[[nodiscard]] bool keeps_limit(const plan::Plan &plan, std::int64_t memory_bytes);

/// Whether parameters, the optimizer's state and gradients alone are too much for all ranks together, by the planner's
/// estimate: no savings help then, nor a pipeline.
[[nodiscard]] bool never_fits(const plan::Request &request, double limit);

class PlanSearch {
  public:
    /// `pinned`: the savings that the layout asks for. `batch`: the number of samples of a step.
    PlanSearch(Tools tools, MemorySavings pinned, std::int64_t batch)
        : tools_(std::move(tools)), pinned_(std::move(pinned)), batch_(batch) {}

    /// None: one of the tools failed.
    [[nodiscard]] std::optional<Answer> run();

  private:
    /// A training step and the plan that was made for it.
    struct Found {
        MemorySavings savings;
        std::shared_ptr<TrainingStep> step;
        plan::Plan plan = {};
        std::optional<MemoryTarget> target = {}; ///< under a limit on memory: what is planned for
    };
    /// Under the limit that was asked for.
    struct Tried {
        MemorySavings savings;
        cost::Bytes least;   ///< Plan::least_memory; 0: there was a plan
        bool planned = true; ///< else `least` is what all ranks together need, evenly divided
    };
    /// The time of a plan's step beside that of the one that was found: both simulated, or both by their prices.
    struct Race {
        std::optional<Scheduled> schedule; ///< of the plan, if it took one
        cost::Seconds step{};
        cost::Seconds known{};
        bool simulated = false;
        bool fits = false; ///< the program under the limit on memory; else the times mean nothing
    };
    /// The plans to choose from: the one that was found, then others of nearly its price, then plans of the literature.
    struct Candidates {
        std::vector<plan::Plan> others;   ///< without the one that was found
        std::vector<Scheduled> schedules; ///< of the one that was found, then of the others
        std::size_t near = 0;             ///< the number of others of nearly the same price
    };

    // The steps of the search. They return false if one of the tools failed.
    [[nodiscard]] bool find_plan(double limit, double asked);
    [[nodiscard]] bool keep_limit(Wanted wanted);
    [[nodiscard]] bool choose(Wanted wanted);
    [[nodiscard]] bool try_covers(double asked, Wanted wanted);
    [[nodiscard]] bool try_pipelines(double asked, Wanted wanted);
    [[nodiscard]] bool complete();

    [[nodiscard]] bool make_plan(Found &found, double limit, cost::Seconds at_most = plan::Request::unlimited);
    [[nodiscard]] bool tighten_limit(double asked, Wanted wanted);
    [[nodiscard]] bool take_smallest(double asked);
    [[nodiscard]] bool find_smallest(std::optional<Found> &smallest);
    [[nodiscard]] bool try_savings(double asked);
    [[nodiscard]] bool try_with(const MemorySavings &savings, double asked, std::optional<Found> &best);
    [[nodiscard]] bool recompute_fewer(double asked, std::optional<Found> &best);
    [[nodiscard]] bool try_more_microbatches(double asked);
    [[nodiscard]] bool try_more_blocks(double asked);
    [[nodiscard]] bool try_beside(const MemorySavings &savings, double asked);
    [[nodiscard]] bool recomputes_some(const MemorySavings &savings) const; ///< blocks, by the search's choice
    [[nodiscard]] std::size_t step_of_blocks() const;                       ///< by which numbers of them differ
    [[nodiscard]] std::vector<std::string> first_blocks(std::size_t count) const;
    [[nodiscard]] std::optional<Found> plan_with(const MemorySavings &savings, double asked, cost::Seconds at_most);
    [[nodiscard]] std::vector<MemorySavings> further();
    [[nodiscard]] bool was_tried(const MemorySavings &savings) const;
    [[nodiscard]] cost::Seconds seconds_found() const; ///< infinite: no plan
    [[nodiscard]] bool take_faster_savings(double asked);
    [[nodiscard]] bool schedule_found(double limit, Wanted wanted);
    [[nodiscard]] bool schedule_candidates(Wanted wanted);
    [[nodiscard]] bool add_baselines(Candidates &candidates, cost::Seconds step, Wanted wanted) const;
    void drop_slower_baselines(Candidates &candidates, cost::Seconds step) const;
    [[nodiscard]] std::vector<MemorySavings> counts_of_pipelines() const;
    [[nodiscard]] bool may_win(const MemorySavings &savings, cost::Seconds known, plan::ChancesOfDepths &chances,
                               plan::PassedPipelines &passed);
    [[nodiscard]] std::optional<Race> race(Found &other, cost::Seconds at_most, Wanted wanted);
    [[nodiscard]] bool take_if_faster(Found pipeline, plan::PassedPipelines &passed, Wanted wanted);
    [[nodiscard]] bool take_others(Found pipeline, plan::PassedPipelines &passed, Wanted wanted);
    void stand_beside(plan::Plan &pipeline, cost::Seconds without, cost::Seconds step);
    [[nodiscard]] cost::Seconds step_found() const;
    [[nodiscard]] bool may_simulate() const;
    [[nodiscard]] bool certainly_fits(const plan::Plan &plan, double limit) const;

    Tools tools_;
    MemorySavings pinned_;
    std::int64_t batch_;
    Found found_;
    /// With other savings: slower plans, each the fastest that its limit allows, and steps that cannot be faster than
    /// the plan that was the best then.
    std::vector<Found> others_;
    std::optional<bool> may_divide_; ///< none: not asked yet
    double work_left_ = 1;           ///< of the whole search: Plan::share
    std::vector<Tried> tried_;
    std::int64_t least_memory_ = 0;        ///< of the programs that were too large; 0: there was none
    std::optional<Scheduled> schedule_;    ///< of the plan that was found or chosen
    std::optional<Candidates> candidates_; ///< already scheduled when the plan's memory was checked
    bool limit_is_asked_ = false;          ///< by the user; else it is the machine's
    bool program_keeps_limit_ = true;      ///< the whole program of the plan that was chosen
};

} // namespace planc::planning
