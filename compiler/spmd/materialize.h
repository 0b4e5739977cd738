// Turns a training step into a rank program: every tensor type gets its layout, and the collectives that lay_out()
// returns become operations. No decision is made here.
#pragma once

#include "sharding/lay_out.h"
#include "spmd/extract.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace planc::spmd {

/// The strategies of all layers and the mesh, as the module's attributes `plan.mesh` and
/// `plan.strategies = {h1 = #plan.strategy<batch -> rows>, …}`. Layers that are not named are replicated.
[[nodiscard]] std::map<std::string, sharding::LayerStrategy> strategies_of(mlir::ModuleOp module);
void set_strategies(mlir::ModuleOp module, const std::map<std::string, sharding::LayerStrategy> &strategies);

/// Lays out @train, @evaluate and @predict by the module's strategies. Variables live where @train wants them.
/// Error: a function that cannot be laid out, with a message at the module.
[[nodiscard]] mlir::LogicalResult materialize(mlir::ModuleOp module);

/// For plan-opt: --materialize-layouts.
void register_passes();

} // namespace planc::spmd
