// The limit on memory that is planned for, so that the scheduled program keeps the one that was asked for.
//
// The planner estimates memory before there is a schedule; the arena of the schedule is exact. Where the arena is too
// large, the next plan is searched under a tighter limit; where no plan keeps that one, under the least limit that the
// planner has a plan for. Example: asked for 100 MB; a plan for 100 MB takes 110 MB; the next is planned for 100 · 100
// / 110 = 91 MB.
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <string>

namespace planc::planning {

class MemoryTarget {
  public:
    /// In bytes of a rank.
    explicit MemoryTarget(double asked) : asked_(asked), planned_for_(asked) {}

    [[nodiscard]] double planned_for() const { return planned_for_; }
    [[nodiscard]] bool keeps(std::int64_t arena_bytes) const { return static_cast<double>(arena_bytes) <= asked_; }

    /// The program of the plan takes `arena_bytes`, which are too many. False: nothing is left to be tried.
    [[nodiscard]] bool tighten(const plan::Plan &plan, std::int64_t arena_bytes);
    /// No plan keeps the limit that is planned for: the least that it knows takes Plan::least_memory. False: nothing is
    /// left to be tried.
    [[nodiscard]] bool loosen_to_least(const plan::Plan &plan);

    /// When nothing is left to be tried: how much memory is needed.
    [[nodiscard]] std::string failure(const plan::Plan &last) const;

  private:
    [[nodiscard]] bool may_try_again();

    double asked_;
    double planned_for_;
    double least_arena_ = 0; ///< so far; 0: nothing was scheduled
    double last_arena_ = 0;
    bool least_planned_for_ = false;
    int attempts_ = 0;
};

} // namespace planc::planning
