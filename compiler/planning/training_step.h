// The training step as the search for a plan sees it: something that has a request to the planner, and that tells how
// much memory and time the program of a plan takes. What stands behind it (the IR, passes, a simulation) is the
// driver's; tests invent it.
#pragma once

#include "cost/reports/report.h"
#include "plan/plan.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace planc::planning {

/// Whatever a training step keeps of the program of a plan.
class ScheduledProgram {
  public:
    ScheduledProgram() = default;
    ScheduledProgram(const ScheduledProgram &) = delete;
    ScheduledProgram &operator=(const ScheduledProgram &) = delete;
    virtual ~ScheduledProgram() = default;
};

/// The schedule of a plan: exact where the plan's own figures are estimates.
struct Scheduled {
    std::int64_t arena_bytes = 0;         ///< of a rank, for what was asked for: the program, or the step alone
    std::optional<cost::Overlap> overlap; ///< of the step, simulated; none: not asked for
    std::unique_ptr<ScheduledProgram> program;
};

/// What of a plan's program is scheduled.
enum class Wanted : std::uint8_t {
    program,           ///< all of it, not simulated
    simulated_program, ///< all of it, and its step is simulated
    simulated_step,    ///< the training step without evaluation and prediction, which takes less work
};

/// Functions that can fail say why to the user themselves.
class TrainingStep {
  public:
    TrainingStep() = default;
    TrainingStep(const TrainingStep &) = delete;
    TrainingStep &operator=(const TrainingStep &) = delete;
    virtual ~TrainingStep() = default;

    /// To plan for. The search sets its limit on memory.
    [[nodiscard]] virtual plan::Request &request() = 0;
    /// One for each of the plans, in their order. Empty: one of them could not be scheduled.
    [[nodiscard]] virtual std::vector<Scheduled> schedule(const std::vector<const plan::Plan *> &plans,
                                                          Wanted wanted) = 0;
    /// Finds Scheduled::overlap of a plan's program.
    virtual void simulate(Scheduled &scheduled) = 0;
    /// Adds what Wanted::simulated_step left out. Returns the bytes of a rank's arena for the whole program; none: it
    /// could not be scheduled.
    [[nodiscard]] virtual std::optional<std::int64_t> complete(const plan::Plan &plan, Scheduled &scheduled) = 0;
};

} // namespace planc::planning
