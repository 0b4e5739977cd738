// What a cut may save the layers at its sides.
#pragma once

#include "plan/pipeline/depths.h"
#include "plan/pipeline/stages.h"

namespace planc::plan {

/// The stages of any plan with this depth take together at least as long as all layers without cuts, less this: the
/// reshards of what passes the cuts, in a step, each at most an all-reduce of the whole value.
///
/// For: joined at the cuts by such reshards, they are a plan without cuts.
[[nodiscard]] double crossing_price(const Request &inner, const Cuts &cuts, const Depth &depth);

} // namespace planc::plan
