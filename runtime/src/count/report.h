// The communication report: predicted traffic and traffic counted around MPI, for each collective and rank; predicted
// and used memory.
#pragma once

#include "count/times.h"

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// Writes the report as JSON at rank 0. Collective over the world. Returns true if all counts of `steps` training steps
/// are as predicted and the largest `high_water` of any rank, in bytes, is that of the program; otherwise rank 0 has
/// reported the first difference. `data`: bytes of the samples that the rank keeps. `times`: included in the report;
/// null if nothing was measured. Errors: CommonFailure.
bool report_communication(const Program &program, const Mesh &mesh, int rank, std::int64_t steps,
                          std::int64_t high_water, std::int64_t data, const Times *times, const std::string &path);

} // namespace planrt
