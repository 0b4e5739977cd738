// --machine-set: other figures for the machine that is planned for.
#pragma once

#include "sema/program.h"

#include <string>
#include <vector>

namespace planc::driver {

/// A quantity as it was given: "2us" is 2e-6, in the base unit of the language.
struct Amount {
    double value = 0;
    std::string text;
};

struct MachineSetting {
    std::string name; ///< one of machine_setting_names()
    std::vector<Amount> amounts;
};

/// latency and bandwidth of the outermost network, of a processor peak, memory_bandwidth, memory.
[[nodiscard]] const std::vector<std::string> &machine_setting_names();

/// Sets the first amount of each. Returns what was said, to stand behind the machine's name: " with latency 2us".
[[nodiscard]] std::string apply(const std::vector<MachineSetting> &settings, sema::Machine &machine);

} // namespace planc::driver
