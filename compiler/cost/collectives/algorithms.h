// The algorithm by which a machine runs a collective: for each collective, a table by size. The emitted program sends
// the algorithm's messages itself (planrt/steps.h), or calls MPI, which is priced as an algorithm.
//
// Example: allreduce = [recursive_doubling, ring(above = 64 KiB)] is {{recursive_doubling, 0}, {ring, 65536}}.
#pragma once

#include "support/units.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planc::cost {

/// Prices are in collectives.h. `ring` is also called bucket; `mst` is a reduction to the root of a tree and a
/// broadcast.
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

/// The algorithm by its name in a machine's settings: "ring", "bucket", "recursive_doubling", …
[[nodiscard]] Algorithm algorithm(const std::string &word);

struct AlgorithmRange {
    Algorithm algorithm = Algorithm::ring;
    double above = 0;    ///< bytes of the full vector; the range ends where the next begins
    bool by_mpi = false; ///< the program calls MPI, and this is priced as the algorithm
};
/// Ascending; the first is above zero. Several entries for the same size are alternatives.
using AlgorithmTable = std::vector<AlgorithmRange>;
/// The alternatives for a vector of `n` bytes; at least one.
[[nodiscard]] std::span<const AlgorithmRange> alternatives(const AlgorithmTable &table, support::Bytes n);

struct Algorithms {
    AlgorithmTable allreduce = {{Algorithm::ring, 0, true}};
    AlgorithmTable reduce_scatter = {{Algorithm::ring, 0, true}};
    AlgorithmTable allgather = {{Algorithm::ring, 0, true}};
    AlgorithmTable broadcast = {{Algorithm::binomial, 0, true}};
    AlgorithmTable alltoall = {{Algorithm::pairwise, 0, true}};
};

} // namespace planc::cost
