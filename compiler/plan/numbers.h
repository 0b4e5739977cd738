// Numbers that all rooms of the planner share.
#pragma once

#include <cstddef>
#include <limits>

namespace planc::plan {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sums of the same seconds or bytes in another order differ by less than this part of them.
inline constexpr double rounding = 1e-9;

/// Of a table that several terms or layers share: a larger one takes longer than what it tells is worth.
inline constexpr double most_joint_entries = 1 << 18;

/// Searches that run at once and cannot prune each other: for answers that do not depend on the computer's cores.
inline constexpr std::size_t most_at_once = 4;

/// Of the work of a whole search: what one part of it may take even if others have used it up.
inline constexpr double least_share = 1.0 / 16;

} // namespace planc::plan
