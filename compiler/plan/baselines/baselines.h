// The plans of the literature, as strategies by layer, for comparison with the planner's answer.
#pragma once

#include "plan/plan.h"
#include "plan/space/space.h"

#include <string>
#include <vector>

namespace planc::plan {

struct NamedStrategies {
    std::string name;
    LayerStrategies layers;
    bool alike = true; ///< the split is the same along all axes that split anything, so it depends only on the number
                       ///< of ranks
    bool has_halos = false; ///< moves them, which depends on the sizes of the axes too
};

/// pure batch       all axes split the batch
///   pure model       all axes split the output side of each weight
///   Megatron-style   all axes split output and input side in turn (Shoeybi et al. 2019)
///   batch x model    the first of several axes splits the batch, the others split the output side
/// With windows also:
///   pure domain      all axes split the first spatial dimension
///   batch x domain   the first of several axes splits the batch, the others that dimension (Gholami et al. 2018)
///   one-weird-trick  the batch of convolutions, the output side of dense layers (Krizhevsky 2014)
/// A layer without a weight is split like the previous layer if it has that loop.
[[nodiscard]] std::vector<NamedStrategies> baselines(const Graph &graph, const std::string &batch, const Mesh &mesh);

} // namespace planc::plan
