// Checks a Graph: indices are in range, shapes agree, values are produced before they are used.
#pragma once

#include "sharding/graph.h"

#include <string>

namespace planc::sharding {

/// Returns an empty text if the graph is valid, else the first fault, with its operation or value. For tests and for
/// checks of the compiler on itself; users never see it.
[[nodiscard]] std::string check_graph(const Graph &graph);

} // namespace planc::sharding
