// The communication report: predicted traffic and traffic counted around MPI, for each collective and rank; predicted
// and used memory.
#pragma once

#include "count/times.h"

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// Bytes that a rank keeps.
struct Held {
    std::int64_t high_water; ///< the most of its buffers
    std::int64_t data;       ///< samples
    std::int64_t matrices;   ///< blocks of sparse matrices
};

/// Writes the report as JSON at rank 0. Collective over the world. Returns true if all counts of `steps` training steps
/// are as predicted, and so are the largest `high_water` and the largest `matrices` of any rank; otherwise rank 0 has
/// reported the first difference. `times`: included in the report; null if nothing was measured. Errors: CommonFailure.
bool report_communication(const Program &program, const Mesh &mesh, int rank, std::int64_t steps, const Held &held,
                          const Times *times, const std::string &path);

} // namespace planrt
