// The search space: the strategies of each layer on one mesh.
//
// Example: h1 with loops batch, pixel, hidden on [rows: 2, cols: 2], "batch -> rows" pinned: rows splits batch; cols
// splits pixel, hidden or nothing: three strategies.
#pragma once

#include "plan/plan.h"
#include "plan/space/meshes.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::plan {

/// A loop of a layer, as the choice sees it.
struct LayerLoop {
    std::string name;
    std::int64_t extent = 1; ///< the smallest of any operation
};
/// In order of appearance. Operations that follow a parameter, and loops that cannot be split, are left out.
[[nodiscard]] PerLayer<std::vector<LayerLoop>> layer_loops(const Graph &graph);

/// The strategies that one layer may have.
using Strategies = std::vector<LayerStrategy>;

struct Space {
    /// Equal lists are one object. Each list has every assignment of the axes that the pins allow and that
    /// leaves no rank without work on a loop which no pin splits. No list is empty.
    PerLayer<std::shared_ptr<const Strategies>> options;
    /// Where a layer would have thousands of strategies, it has those with the fewest groups: adjacent axes that split
    /// one loop are a group. The most groups of such a layer; 0: no layer is limited.
    int most_groups = 0;
};
[[nodiscard]] PerLayer<int> number_of_choices(const Space &space);
/// Whether there are so few strategies that plans may be searched one by one.
[[nodiscard]] bool is_tiny(const Space &space);
/// " whose layers have at most 2 groups of axes": what a bound on such plans is of; empty: of all.
[[nodiscard]] std::string limited_to(int most_groups);
[[nodiscard]] Space make_space(const Request &request, const MeshShape &shape);

/// The text of the user's rule that forbids `loop` over `axis` in a layer, or that assigns the axis to another loop;
/// empty: there is none.
[[nodiscard]] std::string forbidding_pin(const Request &request, const std::vector<LayerLoop> &loops, LayerId layer,
                                         const std::string &loop, const std::string &axis);

} // namespace planc::plan
