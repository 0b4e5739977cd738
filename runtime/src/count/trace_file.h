// The measured trace (--trace) in Chrome's trace format (Google 2016), which Perfetto opens: rows and names are those
// of `planc timeline --format=chrome` (<planrt/trace_names.h>). A process is a rank; its thread 0 has the runs of
// bodies, and in and between them loading of samples, work for communication and waits; the threads after it have what
// is under way, from the start of a collective or transfer to the end of the wait for it.
#pragma once

#include "count/aligned_clock.h"
#include "count/trace_recorder.h"

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// At most so many records of one step does a rank of this role make.
[[nodiscard]] std::size_t most_records(const Program &program, int role);

/// The events of one rank, a line of JSON each, joined by ",\n". Times are those of `clock`, from `zero` on, in
/// microseconds.
[[nodiscard]] std::string trace_events(const Program &program, int rank, int role, const TraceRecorder &recorder,
                                       const AlignedClock &clock, double zero);

/// Writes the file on rank 0; it replaces an older one only when it is complete. Collective over the world. Errors:
/// CommonFailure.
void write_trace(const Program &program, int rank, int role, const TraceRecorder &recorder, const AlignedClock &clock,
                 const std::string &path);

} // namespace planrt
