// Pipeline schedules as text, to read, write by hand and compare.
//
//   name: ZB-H1
//   0: F0 F1 I0 W0 I1 W1
//   1: F0 I0 F1 I1 W0 W1
//
// A line for each rank, with its actions in order: a letter (F, B, I, W), the micro-batch, and where it is needed a
// point and the stage: `F3.5` is F of micro-batch 3 on stage 5. Without it the stage has the number of the rank. It is
// written where a rank has another stage than that. `weights: stashed` or `weights: two versions, 4 accumulated` before
// the ranks stand for those; without it they are synchronous. Empty lines and lines that begin with # are skipped.
#pragma once

#include "pipeline/schedule.h"

#include <string>
#include <string_view>

namespace planc::pipeline {

/// The schedule has no fault().
[[nodiscard]] std::string text(const Schedule &schedule);

/// The inverse: read_text(text(s)) == s, for any schedule without a fault(). The placement follows from which rank runs
/// what; micro-batches that are placed alike take the same replica. Throws std::invalid_argument: "line 2, column 7: …"
/// about the token that is wrong, or the fault() of the whole.
[[nodiscard]] Schedule read_text(std::string_view text);

} // namespace planc::pipeline
