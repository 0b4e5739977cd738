// Compiles a random network by planc, runs it on its ranks, and compares with the interpreter on one rank: the same
// initial weights, the same data, in double precision.
#pragma once

#include <cstdint>
#include <string>

namespace planc::test {

struct Tools {
    std::string planc;      ///< executable
    std::string mpirun;     ///< scripts/mpirun
    std::string directory;  ///< for everything that is made; exists
    double pipelines = 0.3; ///< how many of the layouts have one
};

struct ProgramResult {
    std::string text;       ///< of the .plan file
    std::string refused;    ///< the compiler does not accept the network
    std::string difference; ///< empty: losses, weights, evaluation and communication are as they should be
};

/// Trains three epochs of one batch each. Losses, final weights and the evaluation must agree with the interpreter to
/// 1e-9, and the communication report must have no difference (the program's exit code says so).
[[nodiscard]] ProgramResult check_program(std::uint64_t seed, const Tools &tools);

} // namespace planc::test
