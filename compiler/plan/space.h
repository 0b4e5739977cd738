// What the planner may choose from: the strategies of each layer on one mesh.
//
// Example: h1 with loops batch, pixel, hidden on [rows: 2, cols: 2], "batch -> rows" pinned: rows is batch; cols is
// pixel, hidden or none: three strategies.
#pragma once

#include "plan/meshes.h"
#include "plan/plan.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::plan {

/// A loop of a layer as the choice sees it.
struct LayerLoop {
    std::string name;
    std::int64_t extent = 1; ///< the smallest of any operation
};
/// Per layer, in order of appearance; what follows a parameter has no say, and loops that cannot be split are none.
[[nodiscard]] std::vector<std::vector<LayerLoop>> layer_loops(const Graph &graph);

using Strategies = std::vector<LayerStrategy>;

struct Space {
    /// Per layer; equal lists are one object. Each has every assignment of the axes that the pins allow, leaves no rank
    /// without work on a loop that no pin splits, and is never empty.
    std::vector<std::shared_ptr<const Strategies>> options;
};
[[nodiscard]] Space make_space(const Request &request, const MeshShape &shape);

/// The rule of the user that forbids `loop` on `axis` in a layer (or takes the axis for another loop), as text; empty:
/// none.
[[nodiscard]] std::string forbidding_pin(const Request &request, const std::vector<LayerLoop> &loops, int layer,
                                         const std::string &loop, const std::string &axis);

} // namespace planc::plan
