// What one step of a reshard hands to the network, by rank: planrt::traffic without a scan of all peers.
//
// Example: reducing a [4096, 16] partial sum over 8 ranks is one call of 65,536 elements on every rank.
#pragma once

#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <vector>

namespace planc::cost {

using planrt::Traffic;

/// Of every rank; equals planrt::traffic(step.kind, step.from, step.to, mesh, rank).
[[nodiscard]] std::vector<Traffic> traffic_by_rank(const sharding::Step &step, const sharding::Mesh &mesh);

/// Of the rank with the most elements (of equals, the most calls).
[[nodiscard]] Traffic busiest_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

/// Certainly the same on every rank.
[[nodiscard]] bool uniform_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

} // namespace planc::cost
