// All that a request leaves open, enumerated anew from what the language says of meshes, rules and storage: a planner
// that forgot a mesh or a strategy would be found out.
#pragma once

#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::certificate {

using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::Storage;

struct Shape {
    std::vector<std::string> axes;
    Mesh mesh;
};

/// `auto`: up to three axes, none of one rank; else the axes of the request with all choices of the open sizes. Where
/// neither links nor rules tell axes apart, sizes descend; rules that name an axis have more than one rank there if any
/// choice of sizes gives them that.
[[nodiscard]] std::vector<Shape> shapes(const plan::Request &request);

/// What rules say; else nothing, the optimizer's state, where it is accumulated the gradients too, parameters too.
[[nodiscard]] std::vector<Storage> storages(const plan::Request &request, const Mesh &mesh,
                                            const std::vector<std::string> &axes);

/// Per layer: each axis on the loop that a rule gives it, else on any loop that no rule speaks of, or on none. No such
/// loop is cut into more parts than its shortest extent in the layer.
[[nodiscard]] std::vector<std::vector<LayerStrategy>> strategies(const plan::Request &request, const Shape &shape);

} // namespace planc::certificate
