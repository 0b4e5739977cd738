// What passes the links of a machine's units in an exchange whose messages are unequal: of a graph, few rows are needed
// by many ranks.
//
// Example: nodes of 6 ranks, 8 ranks. If rank 0 sends 100 elements to rank 6, and the other ranks of its node one each,
// 105 elements leave the node; six times what the busiest rank sends would be 600.
#pragma once

#include "cost/collectives/group.h"
#include "cost/collectives/traffic.h"

namespace planc::cost {

/// Whether the messages of the step are unequal and counted: of rows that a graph needs, or of a group that does not
/// fill units evenly; by all ranks of the machine, on several levels without a torus, with at most 2^18 pairs of ranks
/// in units.
[[nodiscard]] bool counts_units(const sharding::Step &step, const Group &group, const sharding::Mesh &mesh,
                                const sharding::Mesh &whole, const Machine &machine);

/// Sets Flow::through for all ranks of a mesh that fill the machine in the order of their numbers.
void count_unit_flows(std::vector<Flow> &flows, const sharding::Step &step, const sharding::Mesh &mesh,
                      const Machine &machine);

/// The transfer of a rank's flow whose `through` is set: the slowest of the links that it passes, and no less than its
/// elements take on the machine's fastest link (as plan/transfers/transfer_bound.h assumes).
[[nodiscard]] Seconds seconds_through_units(const Flow &flow, int element_bytes, const Machine &machine);

} // namespace planc::cost
