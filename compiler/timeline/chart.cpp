#include "timeline/chart.h"

#include "cost/reports/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace planc::timeline {

using cost::human_seconds;

Ticks::Ticks(Seconds makespan, int most) {
    const double least = std::max(makespan.value, 1e-12) / most;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double round : {1.0, 2.0, 5.0, 10.0}) {
        step = Seconds(round * power);
        if (step.value >= least * (1 - 1e-9))
            break;
    }
    count = static_cast<int>(std::floor(makespan / step + 1e-9)) + 1;
    if (makespan.value < 1e-3) {
        unit = "us";
        per_second = 1e6;
    } else if (makespan.value < 1) {
        unit = "ms";
        per_second = 1e3;
    }
}

std::string Ticks::label(int tick) const {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", tick * std::round(step.value * per_second * 1e6) / 1e6);
    return buffer;
}

std::vector<int> shown_ranks(const Timeline &timeline, std::size_t most) {
    std::vector<int> shown;
    for (int rank = 0; rank < static_cast<int>(std::min(most, timeline.ranks.size())); ++rank)
        shown.push_back(rank);
    if (timeline.last >= static_cast<int>(most))
        shown.back() = timeline.last;
    return shown;
}

std::vector<int> busiest_of_roles(const Program &program, const Timeline &timeline) {
    std::vector<int> busiest(program.actions.size(), -1);
    for (int rank = 0; rank < static_cast<int>(timeline.ranks.size()); ++rank) {
        int &best = busiest[static_cast<std::size_t>(program.classes[static_cast<std::size_t>(rank)].role)];
        if (best < 0 || timeline.ranks[static_cast<std::size_t>(rank)].computing >
                            timeline.ranks[static_cast<std::size_t>(best)].computing)
            best = rank;
    }
    return busiest;
}

std::string axis_lines(Seconds makespan, int columns, std::size_t margin) {
    const Ticks ticks(makespan, columns / 12);
    std::string labels(margin + static_cast<std::size_t>(columns) + 16, ' ');
    std::string marks(margin + static_cast<std::size_t>(columns), ' ');
    for (int tick = 0; tick < ticks.count; ++tick) {
        const auto at = margin + static_cast<std::size_t>(std::lround(columns * (tick * ticks.step / makespan)));
        const std::string label = ticks.label(tick) + (tick == 0 ? std::string(" ") + ticks.unit : "");
        labels.replace(at, label.size(), label);
        marks[std::min(at, marks.size() - 1)] = '|';
    }
    return stripped(std::move(labels)) + stripped(std::move(marks));
}

std::string stripped(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

const std::vector<std::pair<std::string, const char *>> &phase_colours() {
    static const std::vector<std::pair<std::string, const char *>> colours{
        {"forward", "#a9cbe8"},  {"loss", "#d9b8d9"},           {"recompute", "#9fd4cf"},
        {"backward", "#f4b6b0"}, {"input gradient", "#fbc98e"}, {"weight gradient", "#a5d792"},
        {"update", "#d8c3a5"}};
    return colours;
}

const char *colour_of(const std::string &phase) {
    const auto &colours = phase_colours();
    const auto at = std::find_if(colours.begin(), colours.end(), [&](const auto &each) { return each.first == phase; });
    return at == colours.end() ? "#d0d0d0" : at->second;
}

std::vector<std::string> summary(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    const RankTime &rank = timeline.critical();
    const RankClass &ranks = program.classes[static_cast<std::size_t>(timeline.last)];
    std::vector<std::string> lines{options.title + ": " + human_seconds(timeline.makespan) + " a step"};
    lines.push_back("rank " + std::to_string(ranks.first) + " computes " + human_seconds(rank.computing) +
                    " and communicates " + human_seconds(rank.communicating) + ", " + human_seconds(rank.exposed) +
                    " of it exposed" +
                    (rank.idle.value > 1e-9 * timeline.makespan.value ? "; it is idle for " + human_seconds(rank.idle)
                                                                      : std::string()));
    lines.push_back("without overlap " + human_seconds(options.without_overlap) +
                    "; planc cost: " + human_seconds(options.price));
    return lines;
}

std::vector<std::vector<Event>> network_lanes(const RankTime &rank) {
    std::vector<std::vector<Event>> lanes;
    std::map<int, std::size_t> lane_of; // by collective
    for (const Event &event : rank.network) {
        const auto is_free = [&](std::size_t lane) { return lanes[lane].back().end <= event.begin; };
        const auto before = lane_of.find(event.index);
        std::size_t lane = before == lane_of.end() || !is_free(before->second) ? 0 : before->second;
        while (lane < lanes.size() && !is_free(lane))
            ++lane;
        if (lane == lanes.size())
            lanes.emplace_back();
        lanes[lane].push_back(event);
        lane_of[event.index] = lane;
    }
    return lanes;
}

EventWords words(const Program &program, const Event &event) {
    if (event.kind == EventKind::compute) {
        const Kernel &kernel = program.kernels[static_cast<std::size_t>(event.index)];
        return {kernel.name, kernel.layer, kernel.phase};
    }
    const Collective &collective = program.collectives[static_cast<std::size_t>(event.index)];
    const auto what = event.kind == EventKind::wait   ? planrt::Communicating::waits
                      : event.kind == EventKind::work ? planrt::Communicating::works
                                                      : planrt::Communicating::transfers;
    return {planrt::event_name(what, collective.name), collective.layer, collective.phase};
}

bool has_work(const Program &program) {
    return std::any_of(program.collectives.begin(), program.collectives.end(),
                       [](const Collective &collective) { return !collective.work.empty(); });
}

bool is_held_up(const Event &event) {
    return event.kind == EventKind::wait || event.kind == EventKind::work;
}

} // namespace planc::timeline
