// Makes a failing case smaller: leaves out statements, rules and axes as long as it still fails.
#pragma once

#include "plan_file.h"

#include <cstdint>

namespace planc::test {

[[nodiscard]] PlanFile shrink(PlanFile file, std::uint64_t seed);

} // namespace planc::test
