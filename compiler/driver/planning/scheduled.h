// What is laid out and scheduled by a plan: its step, to be simulated and compared with other plans', and the rest of
// the program.
#pragma once

#include "cost/reports/report.h"
#include "plan/plan.h"

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

/// The schedule of a plan, and what its step takes.
struct Scheduled {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    /// What it lacks: @evaluate and @predict, not laid out (schedule/evaluation.h). None: nothing.
    mlir::OwningOpRef<mlir::ModuleOp> evaluation;
    std::optional<cost::Overlap> overlap; ///< none: not asked for
    std::int64_t compared_bytes = 0;      ///< of the arena of what was asked for, whether or not it is complete by now
    std::string error;                    ///< why there is no schedule; empty: there is one
};

enum class Extent : std::uint8_t {
    all,            ///< without a simulation
    all_simulated,  ///< and what its step takes
    step_simulated, ///< the step alone
};

class Scheduler {
  public:
    /// Of plans for the module, which stays as it is; all must outlive this. `print`: after every pass, plan by plan.
    Scheduler(mlir::ModuleOp module, const plan::Request &request, bool print)
        : module_(module), request_(request), print_(print) {}

    /// All side by side. Of several whose step is simulated alone, one that is likely to be chosen may be complete:
    /// which depends on how fast they are, so that nothing else may depend on it.
    [[nodiscard]] std::vector<Scheduled> of(const std::vector<const plan::Plan *> &plans, Extent extent) const;
    /// With what the schedule lacks.
    void complete(const plan::Plan &plan, Scheduled &scheduled) const;

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
