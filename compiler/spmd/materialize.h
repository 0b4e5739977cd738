// Turns a training step into a rank program: every tensor type gets its layout, and the collectives that lay_out()
// returns become operations. It makes no decisions.
#pragma once

#include "sharding/lay_out.h"
#include "spmd/extract.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/steps.h>

#include <functional>

namespace planc::spmd {

/// Chooses how a step of a copy of a value runs in the program; if unset, by MPI's own calls. `ranks`: those that run
/// the function.
using ChooseMethod =
    std::function<planrt::Method(const planrt::Role &ranks, const sharding::Graph &graph, sharding::ValueId value,
                                 const sharding::Copy &copy, const sharding::Step &step)>;

/// Lays out @train, the functions of other micro-batches, @evaluate and @predict by the module's `plan.mesh`,
/// `plan.strategies` and `plan.storage` (strategies.h). Layers that are not named there are replicated. Variables that
/// are already laid out stay; the others live where @train needs them. Error, at the module: `plan.storage` names
/// something that is not an axis, or an axis twice.
[[nodiscard]] mlir::LogicalResult materialize(mlir::ModuleOp module, const ChooseMethod &method = {});

/// For plan-opt: --materialize-layouts.
void register_passes();

} // namespace planc::spmd
