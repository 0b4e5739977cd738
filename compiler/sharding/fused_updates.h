// A graph for planning, whose updates have few operations. An optimizer like AdamW has more than twenty for each
// parameter, which are most of a graph. All of them follow the parameter, so they run where it lives whatever the plan,
// and what they pass on to each other never moves.
#pragma once

#include "sharding/graph.h"

namespace planc::sharding {

/// The graph with each run of successive elementwise operations of the update of one parameter as one operation: it
/// reads what they read, makes what others need of their results, and has the work of all. What lay_out() says of all
/// values that are left is unchanged.
[[nodiscard]] Graph with_fused_updates(const Graph &graph);

} // namespace planc::sharding
