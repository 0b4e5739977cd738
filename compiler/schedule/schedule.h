// Turns a rank program into its schedule: kernels, starts and waits, buffers, bodies and the step program. run() states
// the order of the passes and the invariant that each establishes.
//
//   schedule::run(module)   @train becomes the bodies @forward, @backward, @update; see README.md
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace planc::schedule {

struct Options {
    /// Start collectives as soon as their data is ready and wait where the result is needed; otherwise do both at once.
    bool overlap = true;
    /// Let convolutions compute while their halos travel even where that does not pay; for tests, whose images are
    /// small.
    bool overlap_all_halos = false;
    /// Let products use what is gathered piece by piece, where they can.
    bool stage_gathers = false;
};

/// Schedules the entry functions of a rank program (after materialize-layouts). Fails, with a message at the
/// operation, if an operation has no kernel.
[[nodiscard]] mlir::LogicalResult run(mlir::ModuleOp module, const Options &options = {});

/// Adds the passes of run() to the caller's pass manager.
void add_passes(mlir::OpPassManager &manager, const Options &options = {});

} // namespace planc::schedule
