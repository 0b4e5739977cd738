// The step program as tables for the runtime: bodies, micro-batches, and per role a list of actions.
#pragma once

#include "emit/step.h"

#include <map>
#include <string>

namespace planc::emit {

/// For each transfer of the step program, its index in the table of collectives, where it is an exchange between roles.
using TransferNumbers = std::vector<int>;

/// Definitions of `bodies`, `micro_batches`, `roles`. `fields`: by index of a body, the name of the table of the fields
/// that it loads.
[[nodiscard]] std::string step_tables(const Step &step, const std::vector<std::int64_t> &arenas,
                                      const std::map<int, std::string> &fields, const TransferNumbers &transfers);

} // namespace planc::emit
