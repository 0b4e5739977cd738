#include "pipeline/makers.h"

#include "pipeline/text.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace planc::pipeline {

namespace {

constexpr std::string_view two_versions = "pipedream_2bw(";

/// The inverse of two_versions_name().
std::optional<int> accumulated_in(std::string_view name) {
    if (!name.starts_with(two_versions))
        return std::nullopt;
    name.remove_prefix(two_versions.size());
    int count = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), count);
    return error == std::errc() && std::string_view(end, name.data() + name.size()) == ")" ? std::optional(count)
                                                                                           : std::nullopt;
}

} // namespace

std::string two_versions_name(int accumulated) {
    return std::string(two_versions) + std::to_string(accumulated) + ")";
}

Updates updates_of(const std::string &schedule) {
    if (is_table(schedule)) {
        const Schedule table = read_text(schedule);
        return {table.weights, table.accumulated};
    }
    if (schedule == "pipedream")
        return {Weights::stashed, 0};
    const std::optional<int> accumulated = accumulated_in(schedule);
    return accumulated ? Updates{Weights::two_versions, *accumulated} : Updates{};
}

bool is_table(const std::string &schedule) {
    return schedule.find(':') != std::string::npos;
}

Schedule made_by(const std::string &name, int ranks, int chunks, int micro_batches) {
    if (is_table(name)) {
        Schedule table = read_text(name);
        if (table.ranks != ranks || table.micro_batches != micro_batches)
            throw std::invalid_argument("the schedule is of " + std::to_string(table.ranks) + " ranks and " +
                                        std::to_string(table.micro_batches) + " micro-batches");
        return table;
    }
    if (name == "gpipe")
        return gpipe(ranks, micro_batches);
    if (name == "one_f_one_b")
        return one_f_one_b(ranks, micro_batches);
    if (name == "interleaved")
        return interleaved(ranks, chunks, micro_batches);
    if (name == "zero_bubble")
        return zero_bubble(ranks, micro_batches);
    if (name == "zb_v")
        return zb_v(ranks, micro_batches);
    if (name == "chimera")
        return chimera(ranks, micro_batches);
    if (name == "pipedream")
        return pipedream(ranks, micro_batches);
    if (const std::optional<int> accumulated = accumulated_in(name))
        return pipedream_2bw(ranks, micro_batches, *accumulated);
    throw std::invalid_argument("there is no pipeline schedule '" + name + "'");
}

} // namespace planc::pipeline
