// Runs a step program, with all ranks of all roles in one process.
#pragma once

#include "interpret/interpret.h"

namespace planc::interpret {

/// Runs the step program of a scheduled module once. Each rank has its own program counter. It continues until it
/// receives what has not been sent yet, or reaches a body, which all ranks of its role run together; then others
/// continue. Inputs and outcome are those of run_train_step(). Traffic is by rank of the whole mesh; transfers between
/// roles have records of the kind "transfer". Throws Failure if a body or a transfer fails, if the program is at fault
/// (program/check.h, schedule/communication.h), and if all ranks wait for each other all the same.
[[nodiscard]] Outcome run_step_program(mlir::ModuleOp module, const Inputs &inputs);

} // namespace planc::interpret
