// The loops of a layer in the literature's terms: which one splits the output side of its weight, which the input side,
// and over which a window moves. They are read off the layer's forward contraction with a parameter. Tables and the
// planner's baselines use them.
//
// Example: h1 = relu(dense(image, hidden)): loops batch, pixel, hidden; output "hidden", input "pixel".
#pragma once

#include "sharding/graph.h"

#include <string>
#include <vector>

namespace planc::cost {

struct LayerRoles {
    std::vector<std::string> loops;  ///< the loops of its operations without updates, in order of appearance
    std::string output;              ///< a dimension of the weight and of the result; empty: a layer without a weight
    std::string input;               ///< a dimension of the weight that is summed over
    std::string group;               ///< a dimension of the weight, of its operand and of the result
    std::vector<std::string> domain; ///< positions of windows

    /// "model (output)", "model (input)", "model (group)", "domain"; empty if the loop's own name suffices.
    [[nodiscard]] const char *word(const std::string &loop) const;
};

[[nodiscard]] sharding::PerLayer<LayerRoles> roles(const sharding::Graph &graph);

} // namespace planc::cost
