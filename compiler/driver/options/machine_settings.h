// --machine-set: replaces figures of the machine that is planned for.
#pragma once

#include "sema/program.h"
#include "sema/values/units.h"

#include <string>
#include <vector>

namespace planc::driver {

/// A quantity as it was given: "2us" is 2e-6 in the base unit of the language.
struct Amount {
    double value = 0;
    std::string text;
};

struct MachineSetting {
    std::string name; ///< of a figure
    std::vector<Amount> amounts;
};

/// A figure that can be set: latency and bandwidth of the outermost network; peak, memory_bandwidth and memory of a
/// rank.
struct MachineFigure {
    std::string name;
    sema::Measure measure;
    std::string unit; ///< of Amount::value
    void (*set)(sema::Machine &, double);
};
[[nodiscard]] const std::vector<MachineFigure> &machine_figures();
/// Null if there is no figure of this name.
[[nodiscard]] const MachineFigure *machine_figure(const std::string &name);

/// Sets the first amount of each setting. Returns words to put after the machine's name: " with latency 2us".
[[nodiscard]] std::string apply(const std::vector<MachineSetting> &settings, sema::Machine &machine);

} // namespace planc::driver
