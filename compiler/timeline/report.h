// A timeline for people (text, SVG) and for trace viewers (Chrome's trace format).
#pragma once

#include "timeline/simulate.h"

#include <string>
#include <vector>

namespace planc::timeline {

struct ReportOptions {
    std::string title;         ///< "classifier on 4 ranks (rows 2 x cols 2) of machine local"
    Seconds without_overlap{}; ///< the makespan of without_overlap()
    Seconds price{};           ///< the sum according to cost::price()
};

/// A chart of the first ranks that differ, and a table of the busiest rank's time by layer.
[[nodiscard]] std::string text_report(const Program &program, const Timeline &timeline, const ReportOptions &options);

/// A self-contained picture: a compute lane and a network lane for each of the first ranks that differ; tooltips
/// describe the bars.
[[nodiscard]] std::string svg_report(const Program &program, const Timeline &timeline, const ReportOptions &options);

/// Trace event format (Google 2016): complete events in microseconds, a process for each rank that differs, a thread
/// for each lane. Transfers have `rounds` and `alone`, their time if they had the links for themselves. Opens in
/// Perfetto and chrome://tracing.
[[nodiscard]] std::string chrome_trace(const Program &program, const Timeline &timeline, const ReportOptions &options);

} // namespace planc::timeline
