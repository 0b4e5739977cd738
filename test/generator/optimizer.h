// Random optimizers as the text of the setting `optimizer`: kinds, schedules, clipping, parameter groups.
#pragma once

#include "random.h"

#include <string>

namespace planc::test {

/// The last layer is called logits1: groups may rest on that.
[[nodiscard]] std::string random_optimizer(Random &random);

} // namespace planc::test
