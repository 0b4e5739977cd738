#include "timeline/trace.h"

#include "timeline/chart.h"

#include <algorithm>

namespace planc::timeline {

namespace {

TraceEvent::Kind kind_of(EventKind kind) {
    switch (kind) {
    case EventKind::compute:
        return TraceEvent::Kind::kernel;
    case EventKind::work:
        return TraceEvent::Kind::work;
    case EventKind::wait:
        return TraceEvent::Kind::wait;
    case EventKind::transfer:
        break;
    }
    return TraceEvent::Kind::transfer;
}

TraceEvent of_run(const Program &program, const RunTime &time) {
    const Run &run = program.runs[static_cast<std::size_t>(time.run)];
    TraceEvent event{TraceEvent::Kind::run, run.name, planrt::name_of(run.kind), time.begin, time.end};
    event.stage = run.stage;
    event.micro_batch = run.micro_batch;
    return event;
}

/// The micro-batch of a kernel is that of its run.
TraceEvent of_event(const Program &program, const Event &event) {
    const EventWords what = words(program, event);
    TraceEvent result{kind_of(event.kind), what.name, what.phase, event.begin, event.end};
    result.layer = what.layer;
    bool between_roles = false;
    if (event.kind != EventKind::compute) {
        const Collective &collective = program.collectives[static_cast<std::size_t>(event.index)];
        result.micro_batch = collective.micro_batch;
        between_roles = collective.between_roles; // whose name says all
    }
    if (!between_roles)
        result.name = what.layer + ": " + what.name;
    result.rounds = event.rounds;
    result.carried = event.carried;
    return result;
}

/// Runs, each followed by what happens in it.
std::vector<TraceEvent> compute_row(const Program &program, const RankTime &rank) {
    std::vector<TraceEvent> row;
    auto run = rank.runs.begin();
    for (const Event &event : rank.compute) {
        for (; run != rank.runs.end() && run->begin <= event.begin; ++run)
            row.push_back(of_run(program, *run));
        row.push_back(of_event(program, event));
        if (event.kind == EventKind::compute && run != rank.runs.begin())
            row.back().micro_batch = program.runs[static_cast<std::size_t>((run - 1)->run)].micro_batch;
    }
    for (; run != rank.runs.end(); ++run)
        row.push_back(of_run(program, *run));
    return row;
}

} // namespace

const char *name_of(TraceEvent::Kind kind) {
    static constexpr const char *names[] = {"run", "kernel", "samples", "work", "wait", "transfer"};
    return names[static_cast<int>(kind)];
}

Seconds TraceRow::busy() const {
    Seconds sum{};
    Seconds run_ends{};
    for (const TraceEvent &event : compute)
        if (event.kind == TraceEvent::Kind::run) {
            sum += event.seconds();
            run_ends = event.end;
        } else if (event.holds_up() && event.begin < run_ends) {
            sum = sum - event.seconds();
        }
    return sum;
}

std::vector<std::string> TraceRow::runs() const {
    std::vector<std::string> names;
    for (const TraceEvent &event : compute)
        if (event.kind == TraceEvent::Kind::run)
            names.push_back(event.name);
    return names;
}

Seconds Trace::bubble() const {
    Seconds most{};
    for (const TraceRow &row : rows)
        most = std::max(most, row.busy());
    return step - most;
}

const TraceRow *Trace::row_of(int rank) const {
    const auto row = std::find_if(rows.begin(), rows.end(), [rank](const TraceRow &each) { return each.rank == rank; });
    return row == rows.end() ? nullptr : &*row;
}

Trace predicted_trace(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    Trace trace{options.of, options.title, {}, timeline.makespan};
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
        const RankClass &ranks = program.classes[rank];
        TraceRow &row = trace.rows.emplace_back(
            TraceRow{ranks.first, program.name(ranks), compute_row(program, timeline.ranks[rank]), {}});
        for (const std::vector<Event> &events : network_lanes(timeline.ranks[rank])) {
            std::vector<TraceEvent> &lane = row.network.emplace_back();
            for (const Event &event : events)
                lane.push_back(of_event(program, event));
        }
    }
    return trace;
}

} // namespace planc::timeline
