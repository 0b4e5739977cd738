// Writes a machine as its declaration in the language.
//
// Example: machine_text(skylake) == "machine skylake {\n    nodes = 1000\n    node = processor(peak = 8.96 Tflop/s, …"
#pragma once

#include "sema/program.h"

#include <string>
#include <vector>

namespace planc::driver {

/// The text reads back as the same machine, to the bit. It is not in canonical form.
[[nodiscard]] std::string machine_text(const sema::Machine &machine);

/// A quantity in the unit that gives the shortest number, among those that read back exactly: "0.5 us", "8.96 Tflop/s".
[[nodiscard]] std::string quantity_text(double amount, const std::vector<std::string> &units);

} // namespace planc::driver
