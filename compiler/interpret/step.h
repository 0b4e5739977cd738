// A step program, run by all ranks of all roles in one process.
#pragma once

#include "interpret/interpret.h"

namespace planc::interpret {

/// Runs the step program of a scheduled module once. Each rank has a program counter of its own: it goes on until it
/// receives what has not been sent, or comes to a body, which the ranks of its role run together; then others go on.
/// Inputs and outcome as of run_train_step(); traffic is by rank of the whole mesh, transfers between roles have
/// records of the kind "transfer". Throws Failure: where a body or a transfer fails, where the program is at fault
/// (program/check.h), and where all ranks wait for each other.
[[nodiscard]] Outcome run_step_program(mlir::ModuleOp module, const Inputs &inputs);

} // namespace planc::interpret
