#include "timeline/read_trace.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace planc::timeline {

namespace {

using Kind = TraceEvent::Kind;
using llvm::json::ObjectMapper;
using llvm::json::Path;

/// An event of the file, or the name of a row.
struct Line {
    std::string kind; ///< "X", "M"
    std::string name;
    std::int64_t rank = 0;
    std::int64_t thread = 0;
    std::int64_t step = 0;
    TraceEvent event = {};
};

bool read_seconds(ObjectMapper &map, llvm::StringLiteral key, Seconds &seconds) {
    if (!map.map(key, seconds.value))
        return false;
    seconds = seconds * 1e-6;
    return true;
}

bool read_kind(const std::string &name, Kind &kind, Path path) {
    for (const Kind each : {Kind::run, Kind::kernel, Kind::samples, Kind::work, Kind::wait, Kind::transfer})
        if (name == name_of(each)) {
            kind = each;
            return true;
        }
    path.report("expected a kind of event");
    return false;
}

bool read_number(ObjectMapper &map, llvm::StringLiteral key, int &number) {
    std::int64_t value = 0;
    if (!map.map(key, value))
        return false;
    number = static_cast<int>(value);
    return true;
}

bool read_event(const llvm::json::Value &value, Line &line, Path path) {
    ObjectMapper map(value, path);
    TraceEvent &event = line.event;
    if (!map || !map.map("name", event.name) || !map.map("cat", event.phase) || !read_seconds(map, "ts", event.begin) ||
        !read_seconds(map, "dur", event.end))
        return false;
    if (!(event.end.value >= 0 && std::isfinite(event.begin.value) && std::isfinite(event.end.value))) {
        path.field("dur").report("expected a time");
        return false;
    }
    event.end += event.begin;
    const llvm::json::Value *arguments = value.getAsObject()->get("args");
    if (arguments == nullptr) {
        path.field("args").report("missing value");
        return false;
    }
    ObjectMapper details(*arguments, path.field("args"));
    std::string kind;
    return details && details.map("step", line.step) && details.map("event", kind) &&
           read_kind(kind, event.kind, path.field("args").field("event")) &&
           read_number(details, "micro_batch", event.micro_batch) &&
           (event.kind != Kind::run || read_number(details, "stage", event.stage)) &&
           details.mapOptional("layer", event.layer);
}

bool read_line(const llvm::json::Value &value, Line &line, Path path) {
    ObjectMapper map(value, path);
    if (!map || !map.map("ph", line.kind) || !map.map("pid", line.rank) || !map.map("tid", line.thread))
        return false;
    if (line.kind == "X")
        return read_event(value, line, path);
    const llvm::json::Object *arguments = value.getAsObject()->getObject("args");
    if (!map.map("name", line.kind) || arguments == nullptr || !arguments->getString("name")) {
        path.field("args").report("expected a name");
        return false;
    }
    line.name = arguments->getString("name")->str();
    return true;
}

/// As planrt::size_text() writes it.
struct AxisSize {
    std::string text;
};

bool fromJSON(const llvm::json::Value &value, AxisSize &size, Path path) {
    std::vector<std::int64_t> sizes;
    if (value.getAsArray() == nullptr) {
        std::int64_t one = 0;
        const bool read = llvm::json::fromJSON(value, one, path);
        size.text = std::to_string(one);
        return read;
    }
    if (!llvm::json::fromJSON(value, sizes, path))
        return false;
    for (const std::int64_t each : sizes)
        size.text += (size.text.empty() ? "[" : ", ") + std::to_string(each);
    size.text += "]";
    return true;
}

bool read_identity(const llvm::json::Object &file, StepIdentity &of, Path path) {
    const llvm::json::Value *value = file.get("otherData");
    if (value == nullptr) {
        path.field("otherData").report("missing value");
        return false;
    }
    const Path inside = path.field("otherData");
    ObjectMapper map(*value, inside);
    std::string source;
    std::map<std::string, AxisSize> mesh;
    if (!map || !map.map("source", source) || !map.map("network", of.network) || !map.map("layout", of.layout) ||
        !map.map("mesh", mesh) || !read_number(map, "micro_batches", of.micro_batches))
        return false;
    for (const auto &[axis, size] : mesh)
        of.mesh.emplace_back(axis, size.text);
    if (source != "measured") {
        inside.field("source").report("expected 'measured': only programs measure (--trace)");
        return false;
    }
    return true;
}

bool read_lines(const llvm::json::Object &file, std::vector<Line> &lines, Path path) {
    const llvm::json::Array *array = file.getArray("traceEvents");
    if (array == nullptr) {
        path.field("traceEvents").report("expected array");
        return false;
    }
    for (std::size_t i = 0; i < array->size(); ++i)
        if (!read_line((*array)[i], lines.emplace_back(), path.field("traceEvents").index(static_cast<unsigned>(i))))
            return false;
    return true;
}

/// First beginning and last end.
struct Extent {
    Seconds begin{};
    Seconds end{};
    [[nodiscard]] Seconds seconds() const { return end - begin; }
};

std::map<std::int64_t, Extent> steps_of(const std::vector<Line> &lines) {
    std::map<std::int64_t, Extent> steps;
    for (const Line &line : lines)
        if (line.kind == "X") {
            const auto [step, is_new] = steps.try_emplace(line.step, Extent{line.event.begin, line.event.end});
            step->second.begin = std::min(step->second.begin, line.event.begin);
            step->second.end = std::max(step->second.end, line.event.end);
        }
    return steps;
}

std::int64_t median_step(const std::map<std::int64_t, Extent> &steps) {
    std::vector<std::pair<Seconds, std::int64_t>> times;
    for (const auto &[number, extent] : steps)
        times.emplace_back(extent.seconds(), number);
    std::sort(times.begin(), times.end());
    return times[(times.size() - 1) / 2].second;
}

TraceRow &row_of(Trace &trace, std::int64_t rank) {
    const auto row =
        std::find_if(trace.rows.begin(), trace.rows.end(), [rank](const TraceRow &each) { return each.rank == rank; });
    if (row != trace.rows.end())
        return *row;
    TraceRow &added = trace.rows.emplace_back();
    added.rank = static_cast<int>(rank);
    return added;
}

/// The rows of one step, which then begins at 0.
void fill(Trace &trace, std::vector<Line> lines, std::int64_t number, const Extent &step) {
    trace.title = "step " + std::to_string(number);
    trace.step = step.seconds();
    for (Line &line : lines) {
        if (line.kind == "process_name")
            row_of(trace, line.rank).name = line.name;
        if (line.kind != "X" || line.step != number)
            continue;
        TraceRow &row = row_of(trace, line.rank);
        line.event.begin = line.event.begin - step.begin;
        line.event.end = line.event.end - step.begin;
        if (line.thread > 0)
            row.network.resize(std::max(row.network.size(), static_cast<std::size_t>(line.thread)));
        (line.thread == 0 ? row.compute : row.network[static_cast<std::size_t>(line.thread) - 1])
            .push_back(std::move(line.event));
    }
}

std::string mesh_words(const StepIdentity &of) {
    const std::map<std::string, std::string> sorted(of.mesh.begin(), of.mesh.end());
    std::string words;
    for (const auto &[axis, size] : sorted)
        words += (words.empty() ? "" : ", ") + axis + " " + size;
    return words;
}

std::string shortened(const std::vector<std::string> &runs, std::size_t from) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = from; i < std::min(runs.size(), from + most); ++i)
        text += (text.empty() ? "" : " ") + runs[i];
    return text.empty() ? "nothing" : text + (runs.size() > from + most ? " …" : "");
}

} // namespace

std::variant<Trace, std::string> read_trace(const std::string &json) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
    if (!parsed)
        return llvm::toString(parsed.takeError());
    Path::Root root("trace");
    const Path path(root);
    Trace trace;
    std::vector<Line> lines;
    if (const ObjectMapper map(*parsed, path); !map || !read_identity(*parsed->getAsObject(), trace.of, path) ||
                                               !read_lines(*parsed->getAsObject(), lines, path))
        return llvm::toString(root.getError());
    const std::map<std::int64_t, Extent> steps = steps_of(lines);
    if (steps.empty())
        return std::string("there is no step in it");
    const std::int64_t number = median_step(steps);
    fill(trace, std::move(lines), number, steps.at(number));
    return trace;
}

std::string difference(const Trace &predicted, const Trace &measured) {
    const auto other = [](const std::string &what, const std::string &theirs, const std::string &ours) {
        return "it is of " + what + " " + theirs + ", and this one is " + ours;
    };
    if (measured.of.network != predicted.of.network)
        return other("network", measured.of.network, predicted.of.network);
    if (measured.of.layout != predicted.of.layout)
        return other("layout", measured.of.layout, predicted.of.layout);
    if (mesh_words(measured.of) != mesh_words(predicted.of))
        return other("mesh", mesh_words(measured.of), mesh_words(predicted.of));
    if (measured.of.micro_batches != predicted.of.micro_batches)
        return "it has " + std::to_string(measured.of.micro_batches) + " micro-batches a step, this plan " +
               std::to_string(predicted.of.micro_batches);
    for (const TraceRow &row : predicted.rows) {
        const TraceRow *found = measured.row_of(row.rank);
        const std::vector<std::string> expected = row.runs();
        std::vector<std::string> runs = found == nullptr ? std::vector<std::string>() : found->runs();
        const std::set<std::string> known(expected.begin(), expected.end());
        std::erase_if(runs, [&](const std::string &run) { return !known.contains(run); }); // they take no time
        const auto [here, there] = std::mismatch(runs.begin(), runs.end(), expected.begin(), expected.end());
        if (here != runs.end() || there != expected.end()) {
            const auto at = static_cast<std::size_t>(here - runs.begin());
            return "rank " + std::to_string(row.rank) + " runs " + shortened(runs, at) + " where this plan has " +
                   shortened(expected, at);
        }
    }
    return {};
}

} // namespace planc::timeline
