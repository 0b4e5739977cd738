// A step as rows of named events, as in Chrome's trace format: predicted by the simulation (predicted_trace()), or
// measured by the program (read_trace.h). Names are those of <planrt/trace_names.h> for both.
#pragma once

#include "timeline/report.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planc::timeline {

struct TraceEvent {
    enum class Kind : std::uint8_t { run, kernel, samples, work, wait, transfer };
    Kind kind = Kind::run;
    std::string name;  ///< "F3", "h1: product", "h2: waits for all-gather of h1", "transfer of h to stage 1"
    std::string phase; ///< of a run the kind of its body; "forward", "weight gradient", "transfer", …
    Seconds begin{};   ///< since the step began
    Seconds end{};
    int micro_batch = 0;
    int stage = 0;          ///< of a run
    std::string layer = {}; ///< not of runs
    int rounds = 0;         ///< of a predicted transfer
    Seconds carried{};      ///< of a predicted transfer: its time if it had the links for itself

    [[nodiscard]] Seconds seconds() const { return end - begin; }
    /// Whether nothing is computed meanwhile.
    [[nodiscard]] bool holds_up() const { return kind == Kind::work || kind == Kind::wait; }
};

/// "run", "kernel", "samples", "work", "wait", "transfer".
[[nodiscard]] const char *name_of(TraceEvent::Kind kind);

/// What one rank does.
struct TraceRow {
    int rank = 0;
    std::string name;                             ///< "stage 0: rank 4 (of 2 alike)"
    std::vector<TraceEvent> compute;              ///< by their beginnings; events lie within runs, or between them
    std::vector<std::vector<TraceEvent>> network; ///< lanes of transfers, which do not overlap

    /// Of its runs, without what holds them up.
    [[nodiscard]] Seconds busy() const;
    /// Names of its runs, in order.
    [[nodiscard]] std::vector<std::string> runs() const;
};

struct Trace {
    StepIdentity of;
    std::string title;
    std::vector<TraceRow> rows;
    Seconds step{}; ///< from the first beginning to the last end

    /// The time of the step less the work of its busiest rank.
    [[nodiscard]] Seconds bubble() const;
    /// Null if no row is of this rank.
    [[nodiscard]] const TraceRow *row_of(int rank) const;
};

/// A row for each class of ranks.
[[nodiscard]] Trace predicted_trace(const Program &program, const Timeline &timeline, const ReportOptions &options);

} // namespace planc::timeline
