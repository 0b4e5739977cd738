// The step program as tables for the runtime: bodies, micro-batches, and per role a list of actions.
#pragma once

#include "emit/step.h"

#include <map>
#include <string>

namespace planc::emit {

/// What a transfer of the step program is to the runtime: an exchange between roles, at this place in the table of
/// collectives.
using TransferNumbers = std::vector<int>;

/// Definitions of `bodies`, `micro_batches`, `roles`. `fields`: by index of a body the name of the table of what it
/// loads.
[[nodiscard]] std::string step_tables(const Step &step, const std::map<int, std::string> &fields,
                                      const TransferNumbers &transfers);

} // namespace planc::emit
