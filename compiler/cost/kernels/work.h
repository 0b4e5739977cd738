// The work of a step's operations, as the cost model prices it.
#pragma once

#include "cost/machine.h"
#include "sharding/graph.h"

#include <string>

namespace planc::cost {

/// The work of every operation of the graph on this machine: where it has no cache, nobody asks for distances. A graph
/// with this work shares it.
[[nodiscard]] sharding::PerOperation<sharding::SharedWork> work_of_operations(const sharding::Graph &graph,
                                                                              const Machine &machine);

/// Operations with equal texts take equally long under equal strategies.
[[nodiscard]] std::string text(const sharding::Work &work);

} // namespace planc::cost
