// The programs of plans: laid out, scheduled, and their steps simulated, several plans side by side.
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

/// Verifies what all of the passes made. `print`: the IR after each of them.
[[nodiscard]] std::optional<PassError> run_passes(mlir::ModuleOp module, void (*add)(mlir::OpPassManager &),
                                                  bool print);
[[nodiscard]] std::string internal_error(const PassError &error);
extern const char *const not_laid_out; ///< another one

/// A module into which set_plan() wrote the plan. It is for the caller to verify.
[[nodiscard]] bool lay_out_by(const plan::Plan &plan, const cost::Machine &machine, mlir::ModuleOp module);

[[nodiscard]] cost::Overlap overlap_of(mlir::ModuleOp scheduled, const cost::Machine &machine);
[[nodiscard]] std::int64_t arena_bytes(mlir::ModuleOp scheduled);

/// A plan's program in the IR: what stands in planning::Scheduled::program.
class ScheduledModule : public planning::ScheduledProgram {
  public:
    mlir::OwningOpRef<mlir::ModuleOp> module;
    /// What the module lacks: @evaluate and @predict, not laid out (schedule/evaluation.h). None: nothing.
    mlir::OwningOpRef<mlir::ModuleOp> evaluation;
    std::string error; ///< why there is no schedule; empty: there is one
};

/// Of what a Scheduler made.
[[nodiscard]] ScheduledModule &module_of(planning::Scheduled &scheduled);

class Scheduler {
  public:
    /// Of plans for the module, which stays as it is; all must outlive this. `print`: after every pass, plan by plan.
    Scheduler(mlir::ModuleOp module, const plan::Request &request, bool print)
        : module_(module), request_(request), print_(print) {}

    /// All side by side. Of several whose step is simulated alone, one that is likely to be chosen may be complete:
    /// which depends on how fast they are, so that nothing else may depend on it.
    [[nodiscard]] std::vector<planning::Scheduled> of(const std::vector<const plan::Plan *> &plans,
                                                      planning::Wanted wanted) const;
    /// With what the schedule lacks.
    void complete(const plan::Plan &plan, planning::Scheduled &scheduled) const;

  private:
    class Job;
    class SideBySide;
    /// Why they cannot; empty: done.
    [[nodiscard]] std::string run_passes(mlir::ModuleOp module) const;

    mlir::ModuleOp module_;
    const plan::Request &request_;
    bool print_;
};

} // namespace planc::driver
