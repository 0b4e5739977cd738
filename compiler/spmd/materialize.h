// Turns a training step into a rank program: every tensor type gets its layout, and the collectives that lay_out()
// returns become operations. No decision is made here.
#pragma once

#include "sharding/lay_out.h"
#include "spmd/extract.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/steps.h>

#include <functional>

namespace planc::spmd {

/// How a step of a copy of a value runs in the program; unset: by MPI's own calls.
using ChooseMethod = std::function<planrt::Method(const sharding::Graph &graph, int value, const sharding::Copy &copy,
                                                  const sharding::Step &step)>;

/// Lays out @train, the functions of other micro-batches, @evaluate and @predict by the module's `plan.mesh`,
/// `plan.strategies` and `plan.storage` (strategies.h); a layer that is not named there is replicated. Variables live
/// where they are laid out already, else where @train wants them. Error, at the module: `plan.storage` names what is no
/// axis, or an axis twice.
[[nodiscard]] mlir::LogicalResult materialize(mlir::ModuleOp module, const ChooseMethod &method = {});

/// For plan-opt: --materialize-layouts.
void register_passes();

} // namespace planc::spmd
