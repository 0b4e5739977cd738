// A random dense network, a random mesh and a random strategy for each of its layers; and the proof that the rank
// program computes what one rank computes.
#pragma once

#include "sema/program.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace planc::test {

struct RandomCase {
    sema::Program program;
    sema::Train train;
    std::vector<std::pair<std::string, std::int64_t>> mesh; ///< axes and their sizes, at most 8 ranks
};

[[nodiscard]] RandomCase random_case(std::mt19937 &random);

struct CaseResult {
    std::string difference;                 ///< empty: equal
    std::map<std::string, int> collectives; ///< executed, by kind
};

/// Trains three steps, evaluates and predicts on one rank and on the mesh. Losses, variables, evaluation and
/// predictions must agree to 1e-10, else `difference` says what differs, with the program.
[[nodiscard]] CaseResult check_case(std::uint64_t seed);

} // namespace planc::test
