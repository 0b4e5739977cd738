// The shapes of the mesh that a request allows.
//
// Example: 12 ranks, [rows, cols] open: 12x1, 6x2, 4x3, and their transposes where the axes differ in anything.
#pragma once

#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::plan {

struct MeshShape {
    std::vector<std::string> axes;
    Mesh mesh;
};

/// Automatic: every factorisation of the ranks into at most three axes, none of size one, called rows, cols, planes.
/// Else the given axes with every choice of the open sizes. Shapes that a permutation of indistinguishable axes turns
/// into one another (no pin names them, cost::placement_matters()) occur once. An axis that a rule splits something
/// over gets more than one rank if the ranks allow it: `batch -> rows; hidden -> cols` on 4 ranks is 2x2. Empty: the
/// sizes do not multiply to the ranks.
[[nodiscard]] std::vector<MeshShape> mesh_shapes(const Request &request);

/// Does a rule of the user name an axis?
[[nodiscard]] bool pins_axes(const Request &request);

} // namespace planc::plan
