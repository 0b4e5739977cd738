// The pipeline of a module: the attribute `plan.pipeline`, in which the driver writes what a layout or the planner
// chose, and from which the stages are made.
#pragma once

#include "ir/plan_dialect.h"
#include "pipeline/schedule.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/layout.h>

#include <map>
#include <string>
#include <vector>

namespace planc::ir {

struct Pipeline {
    std::string axis;     ///< of the mesh, along which the stages lie
    std::string schedule; ///< the name of its maker, "one_f_one_b", or a table (pipeline/makers.h)
    int chunks = 1;       ///< stages on each rank of the axis
    int stages = 1;
    std::map<std::string, int> stage_of_layer;
    std::vector<int> reach = {}; ///< as in pipeline::Schedule; known when the stages are made
};

[[nodiscard]] bool has_pipeline(mlir::ModuleOp module);
/// Only where there is one.
[[nodiscard]] Pipeline pipeline_of(mlir::ModuleOp module);
void set_pipeline(mlir::ModuleOp module, const Pipeline &pipeline);

/// The order in which its ranks run their stages, for the module's micro-batches.
[[nodiscard]] pipeline::Schedule schedule_of(mlir::ModuleOp module);

/// "1"; of another replica of the weights "1 of replica 1". `part`: pipeline::Schedule::parts().
[[nodiscard]] std::string stage_name(const Pipeline &pipeline, int part);

/// When the weights change within a step (`plan.updates` of the module; without it they are synchronous). It is known
/// before there is a pipeline, since the code of a micro-batch depends on it.
[[nodiscard]] pipeline::Updates updates_of(mlir::ModuleOp module);
void set_updates(mlir::ModuleOp module, const pipeline::Updates &updates);

/// The number of roles that the mesh has (of the pipeline's axis; 1 without a pipeline), and the ranks of each.
[[nodiscard]] int role_count(mlir::ModuleOp module);
[[nodiscard]] planrt::Role ranks_of_role(mlir::ModuleOp module, int role);

/// The mesh of a role's ranks; the whole mesh without a pipeline.
[[nodiscard]] MeshAttr mesh_of_role(mlir::ModuleOp module, int role);
/// That of the ranks that run a function, or the function of an operation.
[[nodiscard]] MeshAttr mesh_of_ranks(mlir::Operation *op);

} // namespace planc::ir
