// --machine-set: other figures for the machine that is planned for.
#pragma once

#include "sema/program.h"
#include "sema/values/units.h"

#include <string>
#include <vector>

namespace planc::driver {

/// A quantity as it was given: "2us" is 2e-6, in the base unit of the language.
struct Amount {
    double value = 0;
    std::string text;
};

struct MachineSetting {
    std::string name; ///< of a figure
    std::vector<Amount> amounts;
};

/// What can be set: latency and bandwidth of the outermost network, of a rank peak, memory_bandwidth, memory.
struct MachineFigure {
    std::string name;
    sema::Measure measure;
    std::string unit; ///< of Amount::value
    void (*set)(sema::Machine &, double);
};
[[nodiscard]] const std::vector<MachineFigure> &machine_figures();
/// Null: there is none of the name.
[[nodiscard]] const MachineFigure *machine_figure(const std::string &name);

/// Sets the first amount of each. Returns what was said, to stand behind the machine's name: " with latency 2us".
[[nodiscard]] std::string apply(const std::vector<MachineSetting> &settings, sema::Machine &machine);

} // namespace planc::driver
