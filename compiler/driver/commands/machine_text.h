// A machine as its declaration in the language.
//
// Example: machine_text(skylake) == "machine skylake {\n    nodes = 1000\n    node = processor(peak = 8.96 Tflop/s, …"
#pragma once

#include "sema/program.h"

#include <string>
#include <vector>

namespace planc::driver {

/// Reads back as the same machine, to the bit. Not yet in canonical form.
[[nodiscard]] std::string machine_text(const sema::Machine &machine);

/// A quantity in the unit that makes its number shortest, of those that give the same again: "0.5 us", "8.96 Tflop/s".
[[nodiscard]] std::string quantity_text(double amount, const std::vector<std::string> &units);

} // namespace planc::driver
