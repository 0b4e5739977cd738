#include "smpi/results.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "support/json.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <cstdio>
#include <map>

namespace planc::smpi {

namespace {

bool read(const llvm::json::Value &value, Results::Work &work, llvm::json::Path path) {
    llvm::json::ObjectMapper map(value, path);
    return map && map.map("layer", work.layer) && map.map("seconds", work.seconds.value);
}

bool read(const llvm::json::Value &value, Results::Collective &collective, llvm::json::Path path) {
    llvm::json::ObjectMapper map(value, path);
    return map && map.map("kind", collective.kind) && map.map("layer", collective.layer) &&
           map.map("phase", collective.phase) && map.map("tensor", collective.tensor) &&
           map.map("predicted", collective.predicted.value) && map.map("simulated", collective.simulated.value);
}

template <class Row>
bool read_all(const llvm::json::Object &object, const char *key, std::vector<Row> &rows, llvm::json::Path path) {
    const llvm::json::Array *array = object.getArray(key);
    if (array == nullptr) {
        path.field(key).report("expected array");
        return false;
    }
    for (std::size_t i = 0; i < array->size(); ++i)
        if (!read((*array)[i], rows.emplace_back(), path.field(key).index(static_cast<unsigned>(i))))
            return false;
    return true;
}

/// "fc1, fc2 and 3 more", for loops or sums of many layers.
std::string shortened(const std::string &layers) {
    constexpr std::size_t most = 40;
    if (layers.size() <= most)
        return layers;
    const std::size_t end = layers.rfind(", ", most);
    if (end == std::string::npos)
        return layers;
    std::size_t more = 0;
    for (std::size_t at = end; at != std::string::npos; at = layers.find(", ", at + 1))
        ++more;
    return layers.substr(0, end) + " and " + std::to_string(more) + " more";
}

std::string off_by(Seconds predicted, Seconds simulated) {
    if (predicted.value <= 0 || simulated.value <= 0)
        return "";
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * (predicted / simulated - 1));
    return text.data();
}

struct Row {
    Seconds computation{};
    Seconds predicted{};
    Seconds simulated{};
};

std::string cell(Seconds seconds) {
    return seconds.value > 0 ? cost::human_seconds(seconds) : "";
}

} // namespace

std::variant<Results, std::string> read_results(const std::string &json) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
    if (!parsed)
        return llvm::toString(parsed.takeError());
    llvm::json::Path::Root root("results");
    const llvm::json::Path path(root);
    Results results;
    const llvm::json::Object *object = parsed->getAsObject();
    llvm::json::ObjectMapper map(*parsed, path);
    if (map && read_all(*object, "work", results.work, path) &&
        read_all(*object, "collectives", results.collectives, path) && map.map("step", results.step.value))
        return results;
    return llvm::toString(root.getError());
}

std::string text_report(const Results &results, const ReportOptions &options) {
    std::vector<std::string> layers; // in the order in which they are met
    std::map<std::string, Row> rows;
    const auto row = [&](const std::string &layer) -> Row & {
        const auto [at, added] = rows.try_emplace(layer);
        if (added)
            layers.push_back(layer);
        return at->second;
    };
    Row sum;
    for (const Results::Work &work : results.work) {
        row(work.layer).computation += work.seconds;
        sum.computation += work.seconds;
    }
    for (const Results::Collective &collective : results.collectives) {
        row(collective.layer).predicted += collective.predicted;
        row(collective.layer).simulated += collective.simulated;
        sum.predicted += collective.predicted;
        sum.simulated += collective.simulated;
    }
    cost::Lines lines;
    lines.row({"", "computation", "communication:", "predicted", "simulated", "off by"});
    for (const std::string &layer : layers) {
        const Row &of = rows[layer];
        if (of.computation.value > 0 || of.predicted.value > 0 || of.simulated.value > 0)
            lines.row({shortened(layer), cell(of.computation), "", cell(of.predicted), cell(of.simulated),
                       off_by(of.predicted, of.simulated)});
    }
    lines.row({"total", cell(sum.computation), "", cell(sum.predicted), cell(sum.simulated),
               off_by(sum.predicted, sum.simulated)});
    return options.title + "\n\n" + lines.text(1) + "\nstep as it is scheduled: " + cost::human_seconds(options.step) +
           " predicted, " + cost::human_seconds(results.step) + " simulated, off by " +
           off_by(options.step, results.step) + "\n";
}

std::string json_report(const Results &results, const ReportOptions &options) {
    support::JsonWriter json;
    Seconds predicted{};
    Seconds simulated{};
    for (const Results::Collective &collective : results.collectives) {
        predicted += collective.predicted;
        simulated += collective.simulated;
    }
    const auto both = [&json](const char *key, Seconds first, Seconds second) {
        json.key(key).begin_object().key("predicted").value(first.value);
        json.key("simulated").value(second.value).end_object();
    };
    json.begin_object().key("what").value(options.title);
    both("communication", predicted, simulated);
    both("step", options.step, results.step);
    json.key("work").begin_array();
    for (const Results::Work &work : results.work) {
        json.begin_object().key("layer").value(work.layer);
        json.key("seconds").value(work.seconds.value).end_object();
    }
    json.end_array().key("collectives").begin_array();
    for (const Results::Collective &collective : results.collectives) {
        json.begin_object().key("kind").value(collective.kind).key("layer").value(collective.layer);
        json.key("phase").value(collective.phase).key("tensor").value(collective.tensor);
        json.key("predicted").value(collective.predicted.value);
        json.key("simulated").value(collective.simulated.value).end_object();
    }
    json.end_array().end_object();
    return json.text();
}

} // namespace planc::smpi
