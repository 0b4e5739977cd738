#include "calibrate/machine_text.h"

#include "calibrate/rates_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace planc::calibrate {

namespace {

/// Four digits, without an exponent; below a ten-thousandth 0.
std::string number(double value) {
    std::array<char, 64> text{};
    (void)std::snprintf(text.data(), text.size(), value >= 1000 ? "%.0f" : "%.4g", value < 1e-4 ? 0 : value);
    return text.data();
}

std::string rate(double flops_per_second) {
    return number(flops_per_second * 1e-9) + " Gflop/s";
}
std::string bandwidth(double bytes_per_second) {
    return number(bytes_per_second * 1e-9) + " GB/s";
}
std::string time(cost::Seconds seconds) {
    return number(seconds.value * 1e6) + " us";
}
std::string size(double bytes) {
    const bool small = bytes < 1024 * 1024 && std::fmod(bytes, 1024) != 0;
    return small ? number(bytes) + " B" : number(bytes / 1024) + " KiB";
}
std::string percent(double share) {
    std::array<char, 64> text{};
    (void)std::snprintf(text.data(), text.size(), "%.0f %%", 100 * share);
    return text.data();
}

std::string comments(const Fit &fit, std::int64_t ranks) {
    std::string text =
        "// Measured by planc calibrate on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks at once") +
        ". For each rate: the median and the\n"
        "// largest error of its predictions, and the spread of the rounds of a measurement (the middle half).\n";
    for (const Quality &each : fit.quality)
        text += "//   " + each.rate + ": " + std::to_string(each.count) + " measurements, errors " +
                percent(each.median_error) + " and " + percent(each.most_error) + "; spread " + percent(each.noise) +
                "\n";
    if (!fit.network_measured)
        text += "// The network was not measured, because one rank has none.\n";
    return text;
}

} // namespace

std::string machine_text(const Fit &fit, const std::string &name, std::int64_t ranks) {
    const cost::Machine &machine = fit.machine;
    return comments(fit, ranks) + "machine " + name + " {\n    ranks_per_node = " + std::to_string(ranks) +
           "\n    node = processor(peak = " + rate(machine.flops_per_second) +
           ", memory_bandwidth = " + bandwidth(machine.memory_bytes_per_second) +
           (machine.memory_bytes > 0 ? ", memory = " + number(machine.memory_bytes / 1024 / 1024 / 1024) + " GiB"
                                     : "") +
           ")\n    network = star(latency = " + time(machine.network().latency) +
           ", bandwidth = " + bandwidth(machine.network().bytes_per_second) + ")\n" +
           rates_text(machine.kernels, machine.collectives, {number, rate, bandwidth, size, time}) + "}\n";
}

} // namespace planc::calibrate
