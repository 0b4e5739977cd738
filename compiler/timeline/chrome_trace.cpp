#include "support/json.h"
#include "timeline/chart.h"

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

std::string complete(const Program &program, const Event &event, int process, int thread) {
    const EventWords what = words(program, event);
    std::string text = "{\"name\": " + json_quoted(what.layer + ": " + what.name) +
                       ", \"cat\": " + json_quoted(what.phase) +
                       ", \"ph\": \"X\", \"ts\": " + json_number(1e6 * event.begin.value) +
                       ", \"dur\": " + json_number(1e6 * event.seconds().value) +
                       ", \"pid\": " + std::to_string(process) + ", \"tid\": " + std::to_string(thread) +
                       ", \"args\": {\"layer\": " + json_quoted(what.layer) + ", \"phase\": " + json_quoted(what.phase);
    if (event.kind == EventKind::transfer)
        text +=
            ", \"rounds\": " + std::to_string(event.rounds) + ", \"alone\": " + json_number(1e6 * event.carried.value);
    if (event.kind == EventKind::work)
        text += ", \"communication\": true";
    return text + "}}";
}

} // namespace

std::string chrome_trace(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    std::vector<std::string> events;
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
        const int process = program.classes[rank].first;
        events.push_back(metadata("process_name", process, compute_thread, rank_words(program.classes[rank])));
        events.push_back(metadata("thread_name", process, compute_thread, "compute"));
        for (const Event &event : timeline.ranks[rank].compute)
            events.push_back(complete(program, event, process, compute_thread));
        int thread = network_thread;
        for (const std::vector<Event> &lane : network_lanes(timeline.ranks[rank])) {
            events.push_back(metadata("thread_name", process, thread, "network"));
            for (const Event &event : lane)
                events.push_back(complete(program, event, process, thread));
            ++thread;
        }
    }
    std::string text = "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"title\": " + json_quoted(options.title) +
                       "},\n\"traceEvents\": [";
    for (std::size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + events[i];
    return text + "\n]}\n";
}

} // namespace planc::timeline
