// When in an update of a pipeline the copies of values are made.
#pragma once

#include "sharding/lay_out.h"

namespace planc::sharding {

/// Of each copy, the level (Operation::level) in which it is made: the producer's, since other stages may get what is
/// computed there. What has no producer, such as a variable, or what arrives, is copied in the first level with an
/// operation that takes the copy, itself or to make another one; operations are not in the order of their levels.
[[nodiscard]] PerValue<std::vector<int>> copy_levels(const Graph &graph, const LaidOut &laid_out);

} // namespace planc::sharding
