// Reads the trace that a program has measured (--trace).
#pragma once

#include "timeline/trace.h"

#include <string>
#include <variant>

namespace planc::timeline {

/// Of the steps in the file the one with the median time, or a text that says what is wrong with the JSON, and where.
/// A step begins with the first event of any rank and ends with the last.
[[nodiscard]] std::variant<Trace, std::string> read_trace(const std::string &json);

/// In which respect the trace is not of the program that was predicted, "it is of network a, and this one is b"; empty
/// if it is: network, layout, mesh, micro-batches, and the order of the runs of every rank.
[[nodiscard]] std::string difference(const Trace &predicted, const Trace &measured);

} // namespace planc::timeline
