#include "driver/machine_settings.h"

#include <utility>

namespace planc::driver {

namespace {

void set(const std::string &name, double value, sema::Machine &machine) {
    if (name == "latency")
        machine.levels.back().latency = support::Seconds(value);
    else if (name == "bandwidth")
        machine.levels.back().bytes_per_second = value;
    else if (name == "peak")
        machine.flops_per_second = value;
    else if (name == "memory_bandwidth")
        machine.memory_bytes_per_second = value;
    else
        machine.memory_bytes = value;
}

} // namespace

const std::vector<std::string> &machine_setting_names() {
    static const std::vector<std::string> names{"latency", "bandwidth", "peak", "memory_bandwidth", "memory"};
    return names;
}

std::string apply(const std::vector<MachineSetting> &settings, sema::Machine &machine) {
    std::string said;
    for (const MachineSetting &setting : settings) {
        set(setting.name, setting.amounts.front().value, machine);
        said += (said.empty() ? " with " : ", ") + setting.name + " " + setting.amounts.front().text;
    }
    return said;
}

} // namespace planc::driver
