// Makes the programs of several plans in parallel: lays them out, schedules them, and simulates their steps.
#pragma once

#include "cost/reports/report.h"
#include "plan/plan.h"
#include "planning/training_step.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// The first error of a pass; no text: a pass failed without one.
struct PassError {
    mlir::Location where;
    std::string text;
};

/// Runs the passes and verifies their final result. `print`: prints the IR after each pass.
[[nodiscard]] std::optional<PassError> run_passes(mlir::ModuleOp module, void (*add)(mlir::OpPassManager &),
                                                  bool print);
[[nodiscard]] std::string internal_error(const PassError &error);
extern const char *const not_laid_out; ///< another internal error

/// Lays out a module into which set_plan() wrote the plan. The caller must verify the result.
[[nodiscard]] bool lay_out_by(const plan::Plan &plan, const cost::Machine &machine, mlir::ModuleOp module);

/// Schedules a program with a training step that is laid out. Products use gathers piece by piece (schedule/staged.h)
/// where only then the memory of a rank keeps the limit, in bytes (0: there is none), or where the simulated step is
/// then faster by more than plan::least_gain.
[[nodiscard]] std::optional<PassError> schedule_program(mlir::ModuleOp module, const cost::Machine &machine,
                                                        double limit, bool print);

[[nodiscard]] cost::Overlap overlap_of(mlir::ModuleOp scheduled, const cost::Machine &machine);
[[nodiscard]] std::int64_t arena_bytes(mlir::ModuleOp scheduled);

/// A plan's program in the IR, as kept in planning::Scheduled::program.
class ScheduledModule : public planning::ScheduledProgram {
  public:
    mlir::OwningOpRef<mlir::ModuleOp> module;
    /// @evaluate and @predict if the module lacks them, not laid out (schedule/evaluation.h); none if it lacks nothing.
    mlir::OwningOpRef<mlir::ModuleOp> evaluation;
    std::string error; ///< why there is no schedule; empty: there is one
};

/// The module in a schedule that a Scheduler made.
[[nodiscard]] ScheduledModule &module_of(planning::Scheduled &scheduled);

class Scheduler {
  public:
    /// Schedules plans for the module, which is not changed. The arguments must outlive this. `print`: prints the IR
    /// after every pass, plan by plan.
    Scheduler(mlir::ModuleOp module, const plan::Request &request, bool print)
        : module_(module), request_(request), print_(print) {}

    /// Schedules all plans in parallel. If only the steps of several plans are simulated, one plan that is likely to be
    /// chosen may be completed, too. Which one depends on the speed of the threads, so nothing else may depend on it.
    [[nodiscard]] std::vector<planning::Scheduled> of(const std::vector<const plan::Plan *> &plans,
                                                      planning::Wanted wanted) const;
    /// Adds to the schedule what it lacks.
    void complete(const plan::Plan &plan, planning::Scheduled &scheduled) const;

  private:
    class Job;
    class SideBySide;
    /// schedule_program(). Returns an empty text or the error.
    [[nodiscard]] std::string schedule(mlir::ModuleOp module) const;
    /// Schedules evaluation and prediction alone, which have no step that could be simulated. Returns as above.
    [[nodiscard]] std::string run_passes(mlir::ModuleOp module) const;

    mlir::ModuleOp module_;
    const plan::Request &request_;
    bool print_;
};

} // namespace planc::driver
