// A timeline for people (text, SVG, HTML) and for trace viewers (Chrome's trace format).
#pragma once

#include "report/chart.h"
#include "timeline/simulate.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::timeline {

struct Trace;

/// Which program a step is of.
struct StepIdentity {
    std::string network;
    std::string layout;
    std::vector<std::pair<std::string, std::string>> mesh; ///< axes with their sizes (planrt::size_text())
    int micro_batches = 1;
};

struct ReportOptions {
    StepIdentity of;
    std::string title;         ///< "classifier on 4 ranks (rows 2 x cols 2) of machine local"
    Seconds without_overlap{}; ///< the makespan of without_overlap()
    Seconds price{};           ///< the sum according to cost::price()
};

/// A chart of the first ranks that differ, and a table of the busiest rank's time by layer. In front of them, where
/// there are stages or micro-batches, schedule_chart().
[[nodiscard]] std::string text_report(const Program &program, const Timeline &timeline, const ReportOptions &options);

/// Stage x time: a row for each role, which shows its busiest rank. A run is its letter, the micro-batch where it fits,
/// and the letter in lower case for as long as it lasts: `F3fff`; `.` is waiting.
[[nodiscard]] std::string schedule_chart(const Program &program, const Timeline &timeline);

/// A self-contained picture: a compute lane and a network lane for each of the first ranks that differ, or of each
/// stage, and above them, where there are stages or micro-batches, a lane with runs; tooltips describe the bars.
[[nodiscard]] std::string svg_report(const Program &program, const Timeline &timeline, const ReportOptions &options);

/// Trace event format (Google 2016): complete events in microseconds, a process for each rank that differs, a thread
/// for each lane. Kernels and waits lie within the runs of bodies. Transfers have `rounds` and `alone`, their time if
/// they had the links for themselves. Opens in Perfetto and chrome://tracing.
[[nodiscard]] std::string chrome_trace(const Program &program, const Timeline &timeline, const ReportOptions &options);

/// A self-contained page: the predicted schedule, below it the measured one (null: there is none) on the same scale
/// with the same rows, a table of both, and pictures of the sparse matrices.
[[nodiscard]] std::string html_report(const Program &program, const Timeline &timeline, const ReportOptions &options,
                                      const Trace *measured, const std::vector<report::MatrixChart> &matrices);

} // namespace planc::timeline
