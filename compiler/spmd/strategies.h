// Strategies and storage as attributes of a module.
#pragma once

#include "sharding/lay_out.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace planc::spmd {

/// The strategies of all layers, by name: the module's attribute
/// `plan.strategies = {h1 = #plan.strategy<batch -> rows>, …}` on the axes of `plan.mesh`.
[[nodiscard]] std::map<std::string, sharding::LayerStrategy> strategies_of(mlir::ModuleOp module);
void set_strategies(mlir::ModuleOp module, const std::map<std::string, sharding::LayerStrategy> &strategies);

/// What is sharded in storage: the module's attribute `plan.storage = {parameters = ["rows"], gradients = ["rows"],
/// optimizer = ["rows", "cols"]}`, with axes of `plan.mesh`, major first. Kinds that are not named are not sharded.
[[nodiscard]] sharding::Storage storage_of(mlir::ModuleOp module);
void set_storage(mlir::ModuleOp module, const sharding::Storage &storage);
/// Error, at the module: it names something that is not an axis, or an axis twice.
[[nodiscard]] mlir::LogicalResult check_storage(mlir::ModuleOp module);

} // namespace planc::spmd
