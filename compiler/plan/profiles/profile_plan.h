// The best plan under a named profile of the cost model (cost/profiles/profile.h).
//
// A profile prices a layer by its own split and that of the previous layer. So the minimum over all strategies that the
// layout allows is found exactly, layer after layer (Viterbi), on each shape of the mesh.
#pragma once

#include "cost/profiles/profile.h"
#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

/// A shape of the mesh and the best plan of the profile on it.
struct ProfileMesh {
    std::vector<std::string> axes;
    Mesh mesh;
    Seconds seconds{};
    std::string unsupported; ///< why the profile covers no plan on it; empty if it does
};

struct ProfilePlan {
    std::string failure; ///< one line for the user; empty: there is a plan
    LayerStrategies layers;
    cost::ProfileTable table;
    std::vector<std::string> words;    ///< per row of the table: how the layer is split
    std::vector<ProfileMesh> meshes;   ///< all shapes, in the order of the search
    std::optional<Seconds> pure_batch; ///< on the same ranks; none: the profile does not cover it
};

/// `profile` is not `exact`. Profiles do not consider memory or sharded storage.
[[nodiscard]] ProfilePlan make_plan(cost::Profile profile, const Request &request);

} // namespace planc::plan
