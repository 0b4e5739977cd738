// Which algorithm a machine runs a collective by: a table by size for each collective. The emitted program sends the
// algorithm's messages itself (planrt/steps.h), or calls MPI, which is priced as an algorithm.
//
// Example: allreduce = [recursive_doubling, ring(above = 64 KiB)] is {{recursive_doubling, 0}, {ring, 65536}}.
#pragma once

#include "support/units.h"

#include <cstdint>
#include <span>
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
    double above = 0;    ///< bytes of the full vector; the range ends where the next begins
    bool by_mpi = false; ///< the program calls MPI; the algorithm is what that is priced as
};
/// Ascending, the first above zero. Several above the same size are alternatives.
using AlgorithmTable = std::vector<AlgorithmRange>;
/// The alternatives for a vector of `n` bytes, one or more.
[[nodiscard]] std::span<const AlgorithmRange> alternatives(const AlgorithmTable &table, support::Bytes n);

struct Algorithms {
    AlgorithmTable allreduce = {{Algorithm::ring, 0, true}};
    AlgorithmTable reduce_scatter = {{Algorithm::ring, 0, true}};
    AlgorithmTable allgather = {{Algorithm::ring, 0, true}};
    AlgorithmTable broadcast = {{Algorithm::binomial, 0, true}};
    AlgorithmTable alltoall = {{Algorithm::pairwise, 0, true}};
};

} // namespace planc::cost
