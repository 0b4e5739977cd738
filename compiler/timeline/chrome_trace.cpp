#include "support/json.h"
#include "timeline/trace.h"

namespace planc::timeline {

namespace {

using support::json_number;
using support::json_quoted;

/// Lanes of a rank as threads; those of the network come after the compute lane.
constexpr int compute_thread = 0;
constexpr int network_thread = 1;

std::string metadata(const char *what, int process, int thread, const std::string &name) {
    return "{\"name\": " + json_quoted(what) + ", \"ph\": \"M\", \"pid\": " + std::to_string(process) +
           ", \"tid\": " + std::to_string(thread) + ", \"args\": {\"name\": " + json_quoted(name) + "}}";
}

std::string arguments(const TraceEvent &event) {
    std::string text = std::string("{\"event\": \"") + name_of(event.kind) + "\", ";
    text += event.kind == TraceEvent::Kind::run
                ? "\"stage\": " + std::to_string(event.stage)
                : "\"layer\": " + json_quoted(event.layer) + ", \"phase\": " + json_quoted(event.phase);
    text += ", \"micro_batch\": " + std::to_string(event.micro_batch);
    if (event.kind == TraceEvent::Kind::transfer)
        text +=
            ", \"rounds\": " + std::to_string(event.rounds) + ", \"alone\": " + json_number(1e6 * event.carried.value);
    return text + "}";
}

std::string complete(const TraceEvent &event, int process, int thread) {
    return "{\"name\": " + json_quoted(event.name) + ", \"cat\": " + json_quoted(event.phase) +
           ", \"ph\": \"X\", \"ts\": " + json_number(1e6 * event.begin.value) +
           ", \"dur\": " + json_number(1e6 * event.seconds().value) + ", \"pid\": " + std::to_string(process) +
           ", \"tid\": " + std::to_string(thread) + ", \"args\": " + arguments(event) + "}";
}

std::string heading(const Trace &trace) {
    std::string mesh;
    for (const auto &[axis, size] : trace.of.mesh)
        mesh += (mesh.empty() ? "" : ", ") + json_quoted(axis) + ": " + size;
    return "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"source\": \"predicted\", \"title\": " +
           json_quoted(trace.title) + ", \"network\": " + json_quoted(trace.of.network) +
           ", \"layout\": " + json_quoted(trace.of.layout) + ", \"mesh\": {" + mesh +
           "}, \"micro_batches\": " + std::to_string(trace.of.micro_batches) + "},\n\"traceEvents\": [";
}

} // namespace

std::string chrome_trace(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    const Trace trace = predicted_trace(program, timeline, options);
    std::vector<std::string> events;
    for (const TraceRow &row : trace.rows) {
        events.push_back(metadata("process_name", row.rank, compute_thread, row.name));
        events.push_back(metadata("thread_name", row.rank, compute_thread, "compute"));
        for (const TraceEvent &event : row.compute)
            events.push_back(complete(event, row.rank, compute_thread));
        int thread = network_thread;
        for (const std::vector<TraceEvent> &lane : row.network) {
            events.push_back(metadata("thread_name", row.rank, thread, "network"));
            for (const TraceEvent &event : lane)
                events.push_back(complete(event, row.rank, thread));
            ++thread;
        }
    }
    std::string text = heading(trace);
    for (std::size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + events[i];
    return text + "\n]}\n";
}

} // namespace planc::timeline
