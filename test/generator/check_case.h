// The proof that a program computes on any mesh, under any layout, what it computes on one rank, and that it
// communicates what the cost model says. Everything runs on the interpreter, in double precision.
#pragma once

#include "plan_file.h"

#include <cstdint>
#include <map>
#include <string>

namespace planc::test {

struct CaseResult {
    std::string refused;                    ///< the diagnostic, where the compiler does not accept the program
    std::string difference;                 ///< empty: everything is equal
    std::string program;                    ///< the IR of what differs
    std::map<std::string, int> collectives; ///< executed, by kind
};

/// Trains two steps, evaluates and predicts: on one rank; on the mesh under the file's rules, under rules that the
/// planner completes, and under a random strategy for every layer; each as a rank program and as its schedule. Losses,
/// variables, evaluation and predictions must agree to 1e-10, traffic must be the cost table's. `seed`: of data,
/// initial weights and random strategies.
[[nodiscard]] CaseResult check_case(const PlanFile &file, std::uint64_t seed);

} // namespace planc::test
