// Finds the limit on memory to plan for, so that the scheduled program keeps the requested limit.
//
// The planner estimates memory before there is a schedule; the arena of the schedule is exact. If the arena is too
// large, the next plan is searched under a tighter limit; if no plan keeps that one, under the smallest limit for which
// the planner has a plan. Example: 100 MB are requested, and a plan for 100 MB takes 110 MB; the next limit is 100 ·
// 100 / 110 = 91 MB.
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <string>

namespace planc::planning {

class MemoryTarget {
  public:
    /// `asked`: the requested limit, in bytes of a rank. `least_arena`: of other training steps; 0: none was scheduled.
    explicit MemoryTarget(double asked, double least_arena = 0)
        : asked_(asked), planned_for_(asked), least_arena_(least_arena) {}

    [[nodiscard]] double least_arena() const { return least_arena_; }

    [[nodiscard]] double planned_for() const { return planned_for_; }
    [[nodiscard]] bool keeps(std::int64_t arena_bytes) const { return static_cast<double>(arena_bytes) <= asked_; }

    /// Called if the program of the plan takes `arena_bytes`, which are too many: tightens the limit. Returns false if
    /// nothing is left to try.
    [[nodiscard]] bool tighten(const plan::Plan &plan, std::int64_t arena_bytes);
    /// Called if no plan keeps the limit: sets it just above Plan::least_memory, which the smallest known plan takes.
    /// Returns false if nothing is left to try.
    [[nodiscard]] bool loosen_to_least(const plan::Plan &plan);

    /// The message when nothing is left to try: how much memory is needed.
    [[nodiscard]] std::string failure(const plan::Plan &last) const;

  private:
    [[nodiscard]] bool may_try_again();

    double asked_;
    double planned_for_;
    double least_arena_ = 0; ///< so far; 0: nothing was scheduled
    double last_arena_ = 0;
    bool least_planned_for_ = false;
    double above_least_ = 0.01; ///< of the least estimate, which is a lower bound; doubled by each attempt
    int attempts_ = 0;
};

} // namespace planc::planning
