// Which algorithm a machine runs a collective by: a table by size for each collective.
//
// Example: allreduce = [recursive_doubling, ring(above = 64 KiB)] is {{recursive_doubling, 0}, {ring, 65536}}.
#pragma once

#include "support/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::cost {

/// Their prices stand in collectives.h. `ring` is also called bucket, `mst` is a tree's reduction and broadcast.
enum class Algorithm : std::uint8_t {
    ring,
    rabenseifner,
    recursive_doubling,
    recursive_halving,
    mst,
    hierarchical,
    binomial,
    scatter_allgather,
    pairwise
};
[[nodiscard]] const char *name(Algorithm algorithm); ///< "recursive doubling"

/// What a machine's settings call them: "ring", "bucket", "recursive_doubling", …
[[nodiscard]] Algorithm algorithm(const std::string &word);

struct AlgorithmRange {
    Algorithm algorithm = Algorithm::ring;
    double above = 0; ///< bytes of the full vector; the range ends where the next begins
};
/// Ascending, the first above zero.
using AlgorithmTable = std::vector<AlgorithmRange>;
[[nodiscard]] Algorithm algorithm_for(const AlgorithmTable &table, support::Bytes n);

struct Algorithms {
    AlgorithmTable allreduce = {{Algorithm::ring, 0}};
    AlgorithmTable reduce_scatter = {{Algorithm::ring, 0}};
    AlgorithmTable allgather = {{Algorithm::ring, 0}};
    AlgorithmTable broadcast = {{Algorithm::binomial, 0}};
    AlgorithmTable alltoall = {{Algorithm::pairwise, 0}};
};

} // namespace planc::cost
