// Small questions about placements and steps that derive(), reshard() and lay_out() share.
#pragma once

#include "sharding/lay_out.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::sharding {

/// A tensor of these extents, whole on every rank.
[[nodiscard]] Placement replicated(const std::vector<std::int64_t> &extents);

/// The same with blocks in place of what windows touch.
[[nodiscard]] Placement without_windows(Placement placement);

/// Does `axis` cut a dimension of the placement?
[[nodiscard]] bool cuts(const Placement &placement, int axis);
[[nodiscard]] bool contains(std::span<const int> axes, int axis);
[[nodiscard]] bool is_prefix(std::span<const int> prefix, std::span<const int> list);

/// Ranks in one group over `axes`.
[[nodiscard]] std::int64_t group_size(std::span<const int> axes, const Mesh &mesh);

/// Elements that cross the wire for the rank with the largest blocks, times the ranks of the mesh (so that the shares
/// (P-1)/P of different groups compare exactly). For ranking sequences of steps; seconds are the cost model's.
[[nodiscard]] double wire_volume(const Step &step, const Mesh &mesh);
[[nodiscard]] double wire_volume(const std::vector<Step> &steps, const Mesh &mesh);

} // namespace planc::sharding
