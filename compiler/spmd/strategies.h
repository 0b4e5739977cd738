// Strategies as attributes of a module.
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

} // namespace planc::spmd
