// Cuts the functions of a training step into those of the stages of a pipeline, before they are laid out.
//
//   @train(x, target) -> loss
// becomes, with layer h on stage 0, and y and loss on stage 1,
//   @stage_0(x, gradient of h {plan.received = 1}) -> h                  {plan.stage = 0, plan.sends = [0]}
//   @stage_1(target, h {plan.received = 0}) -> loss, gradient of h       {plan.stage = 1, plan.sends = [1]}
// A value that several stages get is one result; each of them has an argument with its number.
#pragma once

#include "ir/pipeline_attribute.h"
#include "sharding/stages.h"
#include "spmd/extract.h"

#include "mlir/IR/BuiltinOps.h"

namespace planc::spmd {

/// The stages of the layers of a graph. Layers that the pipeline does not name are everywhere.
[[nodiscard]] sharding::LayerStages layer_stages(const sharding::Graph &graph, const ir::Pipeline &pipeline);

/// Without a pipeline, the module stays as it is. A parameter that several stages use has a variable on each of them.
/// Error, at the module: a layer of the forward pass needs what a later stage computes.
[[nodiscard]] mlir::LogicalResult split_stages(mlir::ModuleOp module);

} // namespace planc::spmd
