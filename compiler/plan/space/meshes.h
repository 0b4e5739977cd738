// The shapes of the mesh that a request allows.
//
// Example: 12 ranks, [rows, cols] open: 12x1, 6x2, 4x3, and their transposes if the axes differ in anything.
#pragma once

#include "plan/plan.h"

#include <set>
#include <string>
#include <vector>

namespace planc::plan {

struct MeshShape {
    std::vector<std::string> axes;
    Mesh mesh;
};

/// Automatic: every factorisation of the ranks into at most three axes, none of size one, called rows, cols, planes;
/// the axis of a pipeline's stages comes before these. Otherwise the given axes with every choice of the open sizes
/// by which at most three open axes have more than one rank, or as many as rules name. Of shapes that differ by a
/// permutation of indistinguishable axes (no pin names them, cost::placement_matters()), or by the place of axes with
/// one rank, one occurs. An axis over which a rule splits something gets more than one rank if the ranks allow it:
/// `batch -> rows; hidden -> cols` on 4 ranks is 2x2. Empty: the sizes do not multiply to the ranks.
[[nodiscard]] std::vector<MeshShape> mesh_shapes(const Request &request);

/// The axes over which rules of the user split or store something.
[[nodiscard]] std::set<std::string> axes_of_rules(const Request &request);
/// Whether a rule of the user names an axis.
[[nodiscard]] bool pins_axes(const Request &request);

} // namespace planc::plan
