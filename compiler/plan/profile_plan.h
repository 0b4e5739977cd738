// The best plan under a named profile of the cost model (cost/profiles/profile.h).
//
// A profile prices a layer by its own split and that of the layer before it, so the minimum over all strategies that
// the layout allows is found exactly, layer after layer (Viterbi), on each shape of the mesh.
#pragma once

#include "cost/profiles/profile.h"
#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

/// A shape of the mesh and the best that the profile finds on it.
struct ProfileMesh {
    std::vector<std::string> axes;
    Mesh mesh;
    Seconds seconds{};
    std::string unsupported; ///< why there is no plan that the profile covers; empty: there is one
};

struct ProfilePlan {
    std::string failure; ///< one line for the user; empty: there is a plan
    std::vector<LayerStrategy> layers;
    cost::ProfileTable table;
    std::vector<std::string> words;    ///< per row of the table: how the layer is split
    std::vector<ProfileMesh> meshes;   ///< all shapes, as they were searched
    std::optional<Seconds> pure_batch; ///< on the same ranks; none: the profile does not price it
};

/// `profile` is not `exact`. Memory and stored shares are no part of a profile.
[[nodiscard]] ProfilePlan make_plan(cost::Profile profile, const Request &request);

} // namespace planc::plan
