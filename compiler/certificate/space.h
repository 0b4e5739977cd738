// Everything that a request leaves open, enumerated independently from what the language says about meshes, rules and
// storage. It would expose a planner that forgot a mesh or a strategy.
#pragma once

#include "plan/plan.h"

#include <string>
#include <vector>

namespace planc::certificate {

using sharding::LayerId;
using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::PerLayer;
using sharding::Storage;

struct Shape {
    std::vector<std::string> axes;
    Mesh mesh;
};

/// `auto`: up to three axes, none of them with one rank; otherwise the axes of the request with all choices of the open
/// sizes by which at most three open axes, or as many as rules name, have more than one rank. If neither links nor
/// rules distinguish axes, sizes descend. Axes that rules name have more than one rank if any choice of sizes allows
/// that.
[[nodiscard]] std::vector<Shape> shapes(const plan::Request &request);

/// What rules say; otherwise nothing, the optimizer's state, also the gradients if they are accumulated, also the
/// parameters.
[[nodiscard]] std::vector<Storage> storages(const plan::Request &request, const Mesh &mesh,
                                            const std::vector<std::string> &axes);

/// The strategies that one layer may have.
using Strategies = std::vector<LayerStrategy>;

/// Each axis but one with stages splits the loop that a rule assigns to it, or else any loop without a rule, or none.
/// No such loop is cut into more parts than its shortest extent in the layer. Where that leaves more than 1,300
/// strategies, only those with the fewest groups of axes count, where a group is adjacent axes that split one loop: as
/// many groups as leave at most so many strategies.
[[nodiscard]] PerLayer<Strategies> strategies(const plan::Request &request, const Shape &shape);

/// How many groups these have at most in a layer that is limited so, on any mesh; 0: no layer is limited.
[[nodiscard]] int most_groups(const plan::Request &request);

} // namespace planc::certificate
