// Answers one point of a sweep after another from one compilation.
#pragma once

#include "driver/compilation.h"

#include "plan/profiles/profile_plan.h"
#include "report/sweep.h"

#include <sstream>
#include <string>
#include <vector>

namespace planc::driver {

/// Points that differ only in ranks and machine, so that they have the same training step.
class SweepQuestion {
  public:
    explicit SweepQuestion(Options options);

    /// Plans for the ranks and the machine of `at`, and fills in the figures of a point, or the reason why it has none.
    /// The rest of the point, above all its samples, must be set.
    void ask(const Options &at, report::SweepPoint &point);

    [[nodiscard]] const Compilation &compilation() const { return compilation_; }

  private:
    void by_plan(report::SweepPoint &point);
    void by_profile(report::SweepPoint &point);
    void refuse_idle_ranks(report::SweepPoint &point) const;
    [[nodiscard]] std::string failure() const;

    Options options_;
    std::ostringstream messages_;
    Compilation compilation_;
    plan::ProfilePlan profile_;
    const sharding::LayerStrategies *strategies_ = nullptr; ///< of the last plan
    const sharding::Mesh *mesh_ = nullptr;
};

} // namespace planc::driver
