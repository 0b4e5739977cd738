// Random networks on random graphs as the text of a .plan file: sums, means and maxima over neighbours, attention,
// rectangular matrices, messages stored edge by edge, groups of vertices; samples are vertices, edges or groups.
#pragma once

#include "network.h"

namespace planc::test {

[[nodiscard]] RandomNetwork random_graph_network(Random &random, const NetworkOptions &options);

} // namespace planc::test
