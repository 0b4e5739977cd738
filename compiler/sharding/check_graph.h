// Validity of a Graph: indices in range, shapes that agree, values produced before they are used.
#pragma once

#include "sharding/graph.h"

#include <string>

namespace planc::sharding {

/// Empty if the graph is valid, else what is wrong first, naming the operation or the value. For tests and for checks
/// of the compiler on itself; a user never sees it.
[[nodiscard]] std::string check_graph(const Graph &graph);

} // namespace planc::sharding
