// The plans of the literature, as strategies by layer, to stand beside the planner's answer.
#pragma once

#include "plan/plan.h"
#include "plan/space.h"

#include <string>
#include <vector>

namespace planc::plan {

struct NamedStrategies {
    std::string name;
    Strategies layers;
    bool alike = true; ///< along all axes that split anything: what that is depends on the number of ranks alone
};

/// pure batch       all axes split the batch
/// pure model       all axes split the output side of each weight
/// Megatron-style   all axes split output and input side in turn (Shoeybi et al. 2019)
/// batch x model    the first axis of several splits the batch, the rest the output side
/// With windows also:
/// pure domain      all axes split the first spatial dimension
/// batch x domain   the first axis of several splits the batch, the rest that dimension (Gholami et al. 2018)
/// one-weird-trick  the batch of convolutions, the output side of dense layers (Krizhevsky 2014)
/// A layer without a weight follows the one before it where it has that loop.
[[nodiscard]] std::vector<NamedStrategies> baselines(const Graph &graph, const std::string &batch, const Mesh &mesh);

} // namespace planc::plan
