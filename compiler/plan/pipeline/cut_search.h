// Better cuts, by the durations of layers and the makespan of the schedule.
#pragma once

#include "plan/pipeline/stages.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::plan {

class CutSearch {
  public:
    /// `ranks`: of the pipeline's axis. The cuts must outlive this.
    CutSearch(const Cuts &cuts, const StageCosts &costs, int ranks);

    /// The step, but for transfers and what the cuts save.
    [[nodiscard]] double seconds(const Begins &begins, const std::string &schedule, int chunks) const;
    /// The move of one cut to the next place that shortens the step most. None: none does.
    [[nodiscard]] std::optional<Begins> moved(const Begins &begins, const std::string &schedule, int chunks) const;

  private:
    [[nodiscard]] std::optional<std::size_t> next_place(std::size_t place, bool forward) const;

    const Cuts &cuts_;
    int ranks_;
    int microbatches_;
    std::vector<std::vector<LayerTimes>> times_; ///< by stage and place
};

} // namespace planc::plan
