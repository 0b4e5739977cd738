// The step of a program in full: tables name once what repeats.
#pragma once

#include <planrt/planrt.h>

#include <vector>

namespace planrt {

/// All micro-batches of a step.
[[nodiscard]] std::vector<MicroBatch> micro_batches_of(const Program &program);

/// All actions of a role, in order.
[[nodiscard]] std::vector<Action> actions_of(const RoleProgram &role);

} // namespace planrt
