// What the charts share: which ranks are shown, names, ticks and colours.
#pragma once

#include "timeline/report.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::timeline {

/// Round times from 0 to the makespan, at most `most` + 1 of them.
struct Ticks {
    Seconds step{};
    int count = 0;
    const char *unit = "s"; ///< of the labels
    double per_second = 1;

    Ticks(Seconds makespan, int most);
    [[nodiscard]] std::string label(int tick) const;
};

/// The first rank classes, at most `most`, the critical one among them. Ascending.
[[nodiscard]] std::vector<int> shown_ranks(const Timeline &timeline, std::size_t most);
/// Of each role the rank class that computes longest.
[[nodiscard]] std::vector<int> busiest_of_roles(const Program &program, const Timeline &timeline);

/// Two lines with the labels and the marks of the ticks, over a chart of so many columns behind a margin.
[[nodiscard]] std::string axis_lines(Seconds makespan, int columns, std::size_t margin);
/// The line without spaces at its end, and with a line end.
[[nodiscard]] std::string stripped(std::string line);

/// The phases of kernels and runs with their colours, which are light, so that dark labels stand out, in print too.
[[nodiscard]] const std::vector<std::pair<std::string, const char *>> &phase_colours();
[[nodiscard]] const char *colour_of(const std::string &phase);

/// Lines about the whole step: how long it takes, and why.
[[nodiscard]] std::vector<std::string> summary(const Program &program, const Timeline &timeline,
                                               const ReportOptions &options);

/// Assigns simultaneous transfers to lanes, as few as needed. A collective keeps its lane if that is free.
[[nodiscard]] std::vector<std::vector<Event>> network_lanes(const RankTime &rank);

/// The words for an event of any kind.
struct EventWords {
    std::string name; ///< "product", "waits for all-reduce of h1.w", "works for …"
    std::string layer;
    std::string phase;
};
[[nodiscard]] EventWords words(const Program &program, const Event &event);
/// Whether processors work for any collective.
[[nodiscard]] bool has_work(const Program &program);
/// Whether nothing is computed during the event.
[[nodiscard]] bool is_held_up(const Event &event);

} // namespace planc::timeline
