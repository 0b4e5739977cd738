// The depths that a pipeline may have: on which axis of the mesh it lies, and of how many ranks that axis is.
#pragma once

#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

struct Depth {
    std::string axis;
    int ranks = 1; ///< of the axis
};

/// The axis that a pipeline gets on a mesh whose axes are open; it is the first one.
inline constexpr const char *stages_axis = "stages";

/// In ascending order: the axis and the size that the layout gives. Where it gives no axis, every one that no rule
/// names, but of open ones only the first if it does not matter where ranks lie. Where it gives no size, every size
/// from 2 on that divides the ranks and has a layer for each stage. The cuts of the layout determine the size too. See
/// PipelineRequest::any_depth.
[[nodiscard]] std::vector<Depth> depths(const Request &request);
/// The same for a step with so many micro-batches.
[[nodiscard]] std::vector<Depth> depths(const Request &request, int microbatches, bool any_depth);

/// The request for the splits inside the stages: the axis has this size, and nothing is split over it. No limit on
/// memory, because the stages share what this request counts together, and no recomputation that they may leave out.
[[nodiscard]] Request with_depth(const Request &request, const Depth &depth);

} // namespace planc::plan
