// A training step whose weights change within it, on one rank: the reference for pipelines that do so. It runs the code
// of one micro-batch after another, each with the version of the weights that the rule says for the stage of each
// parameter (Narayanan et al., PipeDream, SOSP 2019, section 3.3; PipeDream-2BW, ICML 2021, section 3.1).
#pragma once

#include "interpret/interpret.h"
#include "plan/plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace planc::test {

/// Whether a derived step has several updates.
[[nodiscard]] bool has_several_updates(mlir::ModuleOp module);

/// Prepares a derived step without layouts: both passes read the stale weights, updates read the current ones. The plan
/// says the stages of the parameters.
void make_stale(mlir::ModuleOp module, const plan::Request &request, const plan::Plan &plan);
[[nodiscard]] bool is_stale(mlir::ModuleOp module);

/// Runs a step of a prepared module. Throws interpret::Failure.
[[nodiscard]] interpret::Outcome run_stale_step(mlir::ModuleOp module, const interpret::Inputs &inputs);

} // namespace planc::test
