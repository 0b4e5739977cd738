#include "driver/commands/machine_text.h"

#include "calibrate/rates_text.h"
#include "sema/values/units.h"
#include "support/json.h"

#include <vector>

namespace planc::driver {

namespace {

const std::vector<std::string> times{"s", "ms", "us", "ns"};
const std::vector<std::string> bandwidths{"B/s", "MB/s", "GB/s", "Gbit/s"};
const std::vector<std::string> rates{"flop/s", "Mflop/s", "Gflop/s", "Tflop/s", "Pflop/s"};
const std::vector<std::string> memories{"B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"};

std::string numbers(const std::vector<std::int64_t> &list) {
    std::string text;
    for (const std::int64_t number : list)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

std::string processor(const sema::Machine &machine) {
    std::string text = "processor(peak = " + quantity_text(machine.flops_per_second, rates) +
                       ", memory_bandwidth = " + quantity_text(machine.memory_bytes_per_second, bandwidths);
    if (machine.memory_bytes > 0)
        text += ", memory = " + quantity_text(machine.memory_bytes, memories);
    if (!machine.gemm_block.empty())
        text += ", gemm_block = [" + numbers(machine.gemm_block) + "]";
    if (machine.reduction_flops_per_second > 0)
        text += ", reduction = " + quantity_text(machine.reduction_flops_per_second, rates);
    return text + ")";
}

/// `sized`: a star states how many units it joins.
std::string link(const sema::Link &link, bool sized) {
    std::string text = link.topology + "(";
    if (link.topology != "star")
        text += numbers(link.shape) + ", ";
    else if (sized)
        text += std::to_string(link.units) + ", ";
    text += "latency = " + quantity_text(link.latency.value, times) +
            ", bandwidth = " + quantity_text(link.bytes_per_second, bandwidths);
    if (link.links > 1)
        text += ", links = " + std::to_string(link.links);
    return text + ")";
}

std::string algorithms(const char *name, const std::vector<sema::AlgorithmRange> &ranges) {
    std::string list;
    for (const sema::AlgorithmRange &range : ranges) {
        std::string arguments = range.by_mpi ? range.algorithm : "";
        if (range.above_bytes > 0)
            arguments += (arguments.empty() ? "above = " : ", above = ") + quantity_text(range.above_bytes, memories);
        list += (list.empty() ? "" : ", ") + (range.by_mpi ? std::string("mpi") : range.algorithm);
        list += arguments.empty() ? "" : "(" + arguments + ")";
    }
    if (ranges.empty())
        return {};
    return std::string("    ") + name + " = " + (ranges.size() > 1 ? "[" + list + "]" : list) + "\n";
}

std::string rates_text(const sema::Machine &machine) {
    return calibrate::rates_text(machine.kernels, machine.collectives,
                                 {.number = support::json_number,
                                  .rate = [](double rate) { return quantity_text(rate, rates); },
                                  .bandwidth = [](double bandwidth) { return quantity_text(bandwidth, bandwidths); },
                                  .memory = [](double bytes) { return quantity_text(bytes, memories); },
                                  .time = [](support::Seconds time) { return quantity_text(time.value, times); }});
}

} // namespace

std::string quantity_text(double amount, const std::vector<std::string> &units) {
    std::string shortest;
    std::string unit_of_shortest;
    for (const std::string &unit : units) {
        const double factor = sema::parse_unit(unit)->factor;
        const std::string text = support::json_number(amount / factor);
        if (amount / factor * factor != amount || (!shortest.empty() && text.size() >= shortest.size()))
            continue;
        shortest = text;
        unit_of_shortest = unit;
    }
    return shortest + " " + unit_of_shortest;
}

std::string machine_text(const sema::Machine &machine) {
    std::string text = "machine " + machine.name + " {\n";
    if (machine.levels.size() == 1) {
        text += "    nodes = " + std::to_string(machine.levels[0].units) + "\n    node = " + processor(machine) +
                "\n    network = " + link(machine.levels[0], false) + "\n";
    } else {
        std::string levels;
        for (const sema::Link &level : machine.levels)
            levels += (levels.empty() ? "" : ", ") + link(level, true);
        text += "    node = " + processor(machine) + "\n    levels = [" + levels + "]\n";
    }
    return text + algorithms("allreduce", machine.allreduce) + algorithms("reduce_scatter", machine.reduce_scatter) +
           algorithms("allgather", machine.allgather) + algorithms("broadcast", machine.broadcast) +
           algorithms("alltoall", machine.alltoall) + rates_text(machine) + "}\n";
}

} // namespace planc::driver
