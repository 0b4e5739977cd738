// The words and numbers that the text, JSON and CSV reports share.
#include "cost/reports/report.h"
#include "support/whole.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace planc::cost {

namespace {

std::string three_digits(double value, const char *unit) {
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f %s", decimals, value, unit);
    return buffer;
}

std::string number(double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

const char *all_reduce_formula(Algorithm algorithm, bool power_of_two) {
    switch (algorithm) {
    case Algorithm::rabenseifner:
        return "2 lg P alpha + 2(P-1)/P n beta";
    case Algorithm::recursive_doubling:
        return power_of_two ? "lg P alpha + lg P n beta" : "(floor(lg P) + 2) (alpha + n beta)";
    case Algorithm::mst:
        return "2 lg P alpha + 2 lg P n beta";
    default:
        return "2(P-1) alpha + 2(P-1)/P n beta";
    }
}

std::string closed_form(const CollectiveRow &row, const Group &ranks) {
    switch (row.kind) {
    case CollectiveKind::all_reduce:
        return all_reduce_formula(row.algorithm, (ranks.ranks & (ranks.ranks - 1)) == 0);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
        return row.algorithm == Algorithm::ring ? "(P-1) alpha + (P-1)/P n beta" : "lg P alpha + (P-1)/P n beta";
    case CollectiveKind::all_to_all:
        return "(P-1) alpha + n beta";
    case CollectiveKind::exchange:
        return number(row.price.messages / row.times) + " alpha + n beta";
    case CollectiveKind::slice:
        break;
    }
    return "0";
}

std::string link_words(Seconds latency, double bytes_per_second) {
    return "alpha = " + human_seconds(latency) + ", 1/beta = " + three_digits(bytes_per_second / 1e9, "GB/s");
}

/// Merges rounds over links of one kind, in order of their first occurrence.
std::vector<Round> by_link(const std::vector<Round> &rounds) {
    std::vector<Round> result;
    for (const Round &round : rounds) {
        const auto same = std::find_if(result.begin(), result.end(), [&round](const Round &other) {
            return other.latency == round.latency && other.bytes_per_second == round.bytes_per_second;
        });
        if (same == result.end()) {
            result.push_back(round);
        } else {
            same->messages += round.messages;
            same->share += round.share;
        }
    }
    return result;
}

/// "ring: 2 alpha + 1 n beta at alpha = …, 1/beta = …; …"
std::string by_rounds(Algorithm algorithm, const std::vector<Round> &rounds) {
    std::string text;
    for (const Round &round : rounds)
        text += (text.empty() ? std::string(name(algorithm)) + ": " : "; ") + number(round.messages) + " alpha + " +
                number(round.share) + " n beta at " + link_words(round.latency, round.bytes_per_second);
    return text;
}

/// The conditions that hold for every formula of a row.
std::string conditions(const CollectiveRow &row) {
    std::string text;
    if (row.bucket >= 0)
        text += " (alpha paid by the bucket)";
    if (row.joined)
        text += " (alpha paid by the sum that it travels with)";
    return text;
}

std::string measured_formula(const CollectiveRow &row, const Group &ranks) {
    const bool messages = row.kind == CollectiveKind::exchange;
    std::string text =
        (messages ? number(static_cast<double>(row.calls) / row.times) + " " : std::string()) + "alpha + n beta";
    if (row.times > 1)
        text = std::to_string(row.times) + " times (" + text + ")";
    return text + conditions(row) + ", P = " + std::to_string(ranks.ranks) + ", n = " + number(row.vector_bytes) +
           " B, " + link_words(row.rate->latency, row.rate->bytes_per_second) + " as measured on " +
           std::to_string(row.rate->ranks) + " ranks";
}

} // namespace

std::string grouped(double whole) {
    std::string digits = std::to_string(support::whole(whole));
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string human_bytes(Bytes bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = bytes.value;
    if (value < 1024)
        return number(value) + " B";
    int unit = 0;
    while (value >= 1024 && unit < 5) {
        value /= 1024;
        ++unit;
    }
    return three_digits(value, units[unit]);
}

std::string human_seconds(Seconds seconds) {
    if (seconds.value == 0)
        return "0 s";
    if (seconds.value >= 1)
        return three_digits(seconds.value, "s");
    if (seconds.value >= 1e-3)
        return three_digits(seconds.value * 1e3, "ms");
    if (seconds.value >= 1e-6)
        return three_digits(seconds.value * 1e6, "us");
    return three_digits(seconds.value * 1e9, "ns");
}

std::string percent(double share) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, share < 0.995 ? "%.2g %%" : "%.0f %%", 100 * share);
    return buffer;
}

std::string bubble_words(Seconds step, Seconds work) {
    const double share = (step - work) / step;
    return percent(share < 1e-9 ? 0 : share); // what is left of sums in another order
}

std::string axes_words(const std::vector<int> &axes, const std::vector<std::string> &names) {
    std::string text;
    for (int axis : axes)
        text += (text.empty() ? "" : " x ") + names[axis];
    return text;
}

std::string mesh_words(const std::vector<std::string> &axes, const Mesh &mesh) {
    std::string text;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        text += (text.empty() ? "" : " x ") + axes[axis] + " " + planrt::size_text(mesh, static_cast<int>(axis));
    return text;
}

void write_mesh(support::JsonWriter &json, const CostTable &table) {
    json.key("mesh").begin_object();
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
        const Mesh &mesh = table.mesh;
        const auto index = static_cast<int>(axis);
        if (planrt::size_text(mesh, index) == std::to_string(mesh.sizes[axis])) {
            json.member(table.axes[axis], mesh.sizes[axis]);
            continue;
        }
        json.key(table.axes[axis]).begin_array();
        for (const std::vector<int> &sizes : mesh.sizes_at)
            json.value(sizes[axis]);
        json.end_array();
    }
    json.end_object();
}

std::string split_words(const LayerRow &layer, const std::vector<std::string> &axes) {
    std::string text;
    for (std::size_t i = 0; i < layer.split.size(); ++i) {
        const SplitRow &split = layer.split[i];
        bool first = true;
        std::vector<int> over;
        for (std::size_t j = 0; j < layer.split.size(); ++j)
            if (layer.split[j].loop == split.loop) {
                first &= j >= i;
                over.push_back(layer.split[j].axis);
            }
        if (!first)
            continue;
        std::string what = split.loop;
        if (split.role == "domain")
            what = "domain (" + split.loop + ")";
        else if (!split.role.empty()) // "model (output)" becomes "model (output: hidden)"
            what = split.role.substr(0, split.role.size() - 1) + ": " + split.loop + ")";
        text += (text.empty() ? "" : ", ") + what + " over " + axes_words(over, axes);
    }
    return text.empty() ? "replicated" : text;
}

std::string storage_words(const Storage &storage, const std::vector<std::string> &axes) {
    std::string text;
    const auto add = [&](const char *what, const std::vector<int> &stored) {
        if (!stored.empty())
            text += std::string("store ") + what + " -> " + axes_words(stored, axes) + "\n";
    };
    add("params", storage.parameters);
    add("gradients", storage.gradients);
    add("optimizer", storage.optimizer);
    return text;
}

std::string formula(const CollectiveRow &row, const CostTable &table, const Machine &machine) {
    if (row.kind == CollectiveKind::slice)
        return "0";
    const Mesh &mesh = table.mesh;
    const Group ranks = mesh.is_even()
                            ? group(row.axes, mesh.sizes, machine)
                            : group(row.axes, mesh, planrt::role_at(mesh, mesh.uneven_along, row.position), machine);
    if (row.rate)
        return measured_formula(row, ranks);
    const std::vector<Round> links = by_link(rounds(row.kind, row.algorithm, ranks, row.halo));
    const bool one_link = links.size() == 1 && (!ranks.by_dimension() || ranks.spans.size() == 1);
    std::string text = one_link ? closed_form(row, ranks) : by_rounds(row.algorithm, links);
    if (!row.by_mpi)
        text = "by messages, " + (one_link ? name(row.algorithm) + (": " + text) : text);
    if (row.times > 1)
        text = std::to_string(row.times) + " times (" + text + ")";
    text += conditions(row);
    if (row.price.arithmetic.value > 0)
        text += " + " + human_seconds(row.price.arithmetic) + " of additions";
    text += ", P = " + std::to_string(ranks.ranks) + ", n = " + number(row.vector_bytes) + " B";
    return one_link ? text + ", " + link_words(links[0].latency, links[0].bytes_per_second) : text;
}

} // namespace planc::cost
