// Random meshes of 1 to 8 ranks and random rules for them.
#pragma once

#include "network.h"

namespace planc::test {

/// Adds a mesh of one to three axes, a layout of global rules and rules by layer, and pins for the planner. The rules
/// may put two loops of an operation on one axis, which analysis then refuses.
void add_layout(RandomNetwork &network, Random &random);

/// A network with its mesh and layouts; the layout `rules` may have a pipeline. Where analysis refuses the rules,
/// others are tried.
[[nodiscard]] PlanFile random_file(std::uint64_t seed, const NetworkOptions &options = {});

} // namespace planc::test
