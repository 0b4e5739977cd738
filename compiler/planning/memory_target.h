// Finds the limit on memory to plan for, so that the scheduled program keeps the requested limit.
//
// The planner estimates memory before there is a schedule; the arena of the schedule is exact. If the arena is too
// large, the next plan is searched under a tighter limit. Example: 100 MB are requested, and a plan for 100 MB takes
// 110 MB; the next limit is 100 · 100 / 110 = 91 MB.
#pragma once

#include "plan/plan.h"

#include <cstdint>

namespace planc::planning {

class MemoryTarget {
  public:
    /// `asked`: the requested limit, in bytes of a rank.
    explicit MemoryTarget(double asked) : asked_(asked), planned_for_(asked) {}

    [[nodiscard]] double planned_for() const { return planned_for_; }
    [[nodiscard]] bool keeps(std::int64_t memory_bytes) const { return static_cast<double>(memory_bytes) <= asked_; }

    /// Called if the program of the plan takes `memory_bytes`, which are too many: tightens the limit. Returns false if
    /// nothing is left to try.
    [[nodiscard]] bool tighten(const plan::Plan &plan, std::int64_t memory_bytes);

  private:
    double asked_;
    double planned_for_;
    double last_memory_ = 0;
    int attempts_ = 0;
};

} // namespace planc::planning
