// Savings of memory: what a layout asks for, and how the IR says them.
#pragma once

#include "pipeline/schedule.h"
#include "planning/memory_savings.h"
#include "sema/program.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::driver {

/// Those that the rules of a layout ask for; none without a layout.
[[nodiscard]] planning::MemorySavings savings_of(const sema::Layout *layout);

/// When the weights change within the step of a layout, by its pipeline's schedule.
[[nodiscard]] pipeline::Updates updates_of(const sema::Layout *layout);

/// Whether sparse products of the training can move minimal covers between so many parts: it takes all vertices, and a
/// square matrix has at least as many rows.
[[nodiscard]] bool may_cover(const sema::Train &train, std::int64_t parts);

/// The blocks of several layers whose activations are computed again together, in the order of the network: elements of
/// lists and folds ("stage[0].block[1]"), and outside of these what has a name of its own.
[[nodiscard]] std::vector<std::string> blocks_of(const sema::Network &loss);

/// Writes them into the module, for the passes that derive its step: `plan.microbatches`, `plan.halves` of the square
/// matrices of `train`, and `plan.recompute` with the group of each layer of its network: the part of its path that a
/// selector matches, its block for "".
void set_savings(mlir::ModuleOp module, const sema::Train &train, const planning::MemorySavings &savings);

} // namespace planc::driver
