// The training step as the search for a plan sees it: it has a request to the planner, and it tells how much memory and
// time the program of a plan takes. The driver implements it by the IR, passes and a simulation; tests have their own.
#pragma once

#include "cost/reports/report.h"
#include "plan/plan.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace planc::planning {

/// The program of a plan, as the training step keeps it.
class ScheduledProgram {
  public:
    ScheduledProgram() = default;
    ScheduledProgram(const ScheduledProgram &) = delete;
    ScheduledProgram &operator=(const ScheduledProgram &) = delete;
    virtual ~ScheduledProgram() = default;
};

/// The schedule of a plan: exact where the plan's own figures are estimates.
struct Scheduled {
    /// Of a rank, with its sparse matrices, for what was wanted: the whole program, or the step alone.
    std::int64_t memory_bytes = 0;
    std::optional<cost::Overlap> overlap; ///< of the step, simulated; none: not asked for
    std::unique_ptr<ScheduledProgram> program;
};

/// The part of a plan's program that is scheduled.
enum class Wanted : std::uint8_t {
    program,           ///< all of it, not simulated
    simulated_program, ///< all of it, and its step is simulated
    simulated_step,    ///< the training step without evaluation and prediction, which takes less work
};

/// A function that fails reports the reason to the user itself.
class TrainingStep {
  public:
    TrainingStep() = default;
    TrainingStep(const TrainingStep &) = delete;
    TrainingStep &operator=(const TrainingStep &) = delete;
    virtual ~TrainingStep() = default;

    /// The request to the planner. The search sets its limit on memory.
    [[nodiscard]] virtual plan::Request &request() = 0;
    /// Schedules each of the plans and returns the schedules in the same order. Returns an empty list if a plan could
    /// not be scheduled.
    [[nodiscard]] virtual std::vector<Scheduled> schedule(const std::vector<const plan::Plan *> &plans,
                                                          Wanted wanted) = 0;
    /// Finds Scheduled::overlap of a plan's program.
    virtual void simulate(Scheduled &scheduled) = 0;
    /// Adds what Wanted::simulated_step left out. Returns the bytes of a rank's arena for the whole program; none: it
    /// could not be scheduled.
    [[nodiscard]] virtual std::optional<std::int64_t> complete(const plan::Plan &plan, Scheduled &scheduled) = 0;
};

} // namespace planc::planning
