#include "driver/options/machine_settings.h"

#include <algorithm>

namespace planc::driver {

const std::vector<MachineFigure> &machine_figures() {
    using sema::Machine;
    using sema::Measure;
    static const std::vector<MachineFigure> figures{
        {"latency", Measure::time, "s", [](Machine &m, double v) { m.levels.back().latency = support::Seconds(v); }},
        {"bandwidth", Measure::bandwidth, "B/s", [](Machine &m, double v) { m.levels.back().bytes_per_second = v; }},
        {"peak", Measure::rate, "flop/s", [](Machine &m, double v) { m.flops_per_second = v; }},
        {"memory_bandwidth", Measure::bandwidth, "B/s", [](Machine &m, double v) { m.memory_bytes_per_second = v; }},
        {"memory", Measure::memory, "B", [](Machine &m, double v) { m.memory_bytes = v; }}};
    return figures;
}

const MachineFigure *machine_figure(const std::string &name) {
    const std::vector<MachineFigure> &figures = machine_figures();
    const auto at =
        std::find_if(figures.begin(), figures.end(), [&](const MachineFigure &figure) { return figure.name == name; });
    return at == figures.end() ? nullptr : &*at;
}

std::string apply(const std::vector<MachineSetting> &settings, sema::Machine &machine) {
    std::string said;
    for (const MachineSetting &setting : settings) {
        machine_figure(setting.name)->set(machine, setting.amounts.front().value);
        said += (said.empty() ? " with " : ", ") + setting.name + " " + setting.amounts.front().text;
    }
    return said;
}

} // namespace planc::driver
