// The communication report: what was predicted and what was counted around MPI, per collective and rank; and what
// memory was predicted and used.
#pragma once

#include "count/times.h"

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// Writes the report as JSON at rank 0. Collective over the world. Returns true where all counts of `steps` training
/// steps are as predicted and the largest `high_water` of any rank is that of the program, bytes; otherwise rank 0 has
/// said the first difference. `data`: bytes of the samples that the rank keeps. `times`: stand in the report too; null:
/// nobody measured. Errors: CommonFailure.
bool report_communication(const Program &program, const Mesh &mesh, int rank, std::int64_t steps,
                          std::int64_t high_water, std::int64_t data, const Times *times, const std::string &path);

} // namespace planrt
