// Random pipelines.
#pragma once

#include "network.h"

namespace planc::test {

/// Adds the axis, of 2 to 4 ranks, to a mesh in place of axes for which there is no room then, and the rule to the
/// layout `rules`; half of the time, positions along the axis have unequal numbers of ranks. Any schedule or a random
/// table, 1 to 2D + 1 micro-batches, random cuts or none; up to 3 stages on a rank. There may be fewer layers than
/// stages, which the planner refuses.
void add_pipeline(RandomNetwork &network, Random &random);

/// 2D + 1, but no more than there are samples.
[[nodiscard]] int most_micro_batches(int batch, int ranks);

} // namespace planc::test
