// PlanSearch: from a training step that may be derived in several ways to the plan that it is trained by.
//
// The planner (compiler/plan) knows sums of prices and estimates of memory. How much memory the program of a plan takes
// exactly, and how long its step takes when communication runs beside computation, is known once it is laid out,
// scheduled and simulated. The search brings both together, in these steps:
//
//   find a plan      under the limit on memory; if none fits, with further savings of memory (memory_savings.h)
//   keep the limit   schedule the plan; while its arena is too large, find another one (memory_target.h)
//   choose           of the plans that cost nearly the same, and of the literature's, the one that is simulated fastest
//   complete         schedule what the comparison left out
//
// Deterministic: nothing depends on how fast this machine is.
#pragma once

#include "planning/memory_savings.h"
#include "planning/training_step.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace planc::planning {

/// What the search works with. Functions that can fail say why to the user themselves.
struct Tools {
    /// The training step with these savings. Null: it cannot be derived.
    std::function<std::shared_ptr<TrainingStep>(const MemorySavings &)> derive;
    std::function<plan::Plan(const plan::Request &)> make_plan = plan::make_plan;
};

struct Answer {
    plan::Plan plan; ///< Plan::failure says why there is none
    MemorySavings savings;
    std::shared_ptr<TrainingStep>
        step;                          ///< with these savings; its request has the limit on memory that was planned for
    std::optional<Scheduled> schedule; ///< of the plan's whole program; none: choosing the plan did not take it
    std::vector<Scheduled> passed_over; ///< what it was compared with: giving them back takes a while
};

/// Operations of a step up to which its schedule is simulated: this takes some tenths of a second then.
inline constexpr std::size_t most_operations_to_simulate = 5000;

/// Does a program with an arena of so many bytes keep the limit on memory that the plan was asked for?
[[nodiscard]] bool keeps_limit(const plan::Plan &plan, std::int64_t arena_bytes);

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
        plan::Plan plan;
    };
    /// Plans to choose from: the one that was found, then others of nearly its price, then plans of the literature.
    struct Candidates {
        std::vector<plan::Plan> others;   ///< without the one that was found
        std::vector<Scheduled> schedules; ///< of the one that was found, then of the others
        std::size_t near = 0;             ///< so many of the others are of nearly the price
    };

    // The steps. False: one of the tools failed.
    [[nodiscard]] bool find_plan(double limit);
    [[nodiscard]] bool keep_limit(Wanted wanted);
    [[nodiscard]] bool choose(Wanted wanted);
    [[nodiscard]] bool complete();

    [[nodiscard]] bool make_plan(Found &found, double limit);
    [[nodiscard]] bool try_savings(double limit);
    [[nodiscard]] bool schedule_found(double limit, Wanted wanted);
    [[nodiscard]] bool schedule_candidates(Wanted wanted);
    [[nodiscard]] bool add_baselines(Candidates &candidates, cost::Seconds step, Wanted wanted) const;
    void drop_slower_baselines(Candidates &candidates, cost::Seconds step) const;
    [[nodiscard]] bool may_simulate() const;

    Tools tools_;
    MemorySavings pinned_;
    std::int64_t batch_;
    Found found_;
    std::shared_ptr<const void> tables_;   ///< Plan::tables of the last plan
    std::optional<Scheduled> schedule_;    ///< of the plan that was found or chosen
    std::optional<Candidates> candidates_; ///< scheduled already when the plan's memory was looked at
    std::vector<Scheduled> passed_over_;
    bool program_keeps_limit_ = true; ///< the whole program of the plan that was chosen
};

} // namespace planc::planning
