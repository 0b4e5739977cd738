// Positions along the pipeline's axis. Where the mesh is uneven (planrt::Mesh), each has ranks of its own number, and
// so prices and splits of its own.
#pragma once

#include "plan/pipeline/depths.h"
#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

/// Whether an axis has a size for each position.
[[nodiscard]] bool is_uneven(const MeshRequest &mesh);

/// The mesh of such a request. `stages`: the pipeline's axis. Open sizes count as 1.
[[nodiscard]] Mesh uneven_mesh(const MeshRequest &mesh, const std::string &stages);

/// The request for the splits of layers that lie at one position: all ranks are those of this position, and the
/// pipeline's axis has size 1. As with_depth() otherwise.
[[nodiscard]] Request at_position(const Request &request, const Depth &depth, int position);

/// Of each stage; `ranks`: of the pipeline's axis. Where the schedule is open, stages follow one another.
[[nodiscard]] std::vector<int> positions_of_stages(const std::string &schedule, int ranks, int chunks,
                                                   int microbatches);
/// Of the stages of a plan with a pipeline.
[[nodiscard]] std::vector<int> positions_of_stages(const Plan &plan);

/// The mesh of the ranks that have a layer: those of its stage; all without a pipeline.
[[nodiscard]] Mesh mesh_of_layer(const Plan &plan, LayerId layer);

} // namespace planc::plan
