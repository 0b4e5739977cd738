// What the loops of a layer are in the literature's terms: which one splits the weight's output side, which its input
// side, and which a window moves over. Read off the layer's forward contraction with a parameter; for tables and for
// the planner's baselines.
//
// Example: h1 = relu(dense(image, hidden)): loops batch, pixel, hidden; output "hidden", input "pixel".
#pragma once

#include "sharding/graph.h"

#include <string>
#include <vector>

namespace planc::cost {

struct LayerRoles {
    std::vector<std::string> loops;  ///< that its operations have, updates aside, in order of appearance
    std::string output;              ///< a dimension of the weight and of the result; empty: a layer without a weight
    std::string input;               ///< a dimension of the weight that is summed over
    std::string group;               ///< a dimension of the weight, of the result and of what it is multiplied with
    std::vector<std::string> domain; ///< positions of windows

    /// "model (output)", "model (input)", "model (group)", "domain"; empty: the loop's own name says it.
    [[nodiscard]] const char *word(const std::string &loop) const;
};

/// Per layer of the graph.
[[nodiscard]] std::vector<LayerRoles> roles(const sharding::Graph &graph);

} // namespace planc::cost
