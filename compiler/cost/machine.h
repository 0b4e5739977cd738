// The machine as the cost model reads it: rates, links, and the algorithms of its collectives. Plain data.
#pragma once

#include "cost/collectives/algorithms.h"
#include "support/rates.h"
#include "support/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::sema {
struct Machine;
}

namespace planc::cost {

using support::Bytes;
using support::Flops;
using support::Seconds;

/// A message of n bytes takes latency + n / bytes_per_second.
struct Link {
    Seconds latency{};
    double bytes_per_second = 1e9;
    std::vector<std::int64_t> shape = {}; ///< of a mesh or torus: units per dimension; empty: a star
    std::int64_t count = 1;               ///< links of a unit, which its ranks share
};

/// One level of a hierarchical machine: units of the level below, joined by links.
struct Level {
    std::int64_t units = 0; ///< 0: any number
    Link link;
};

/// Blocks of a blocked matrix product (Goto): m_c, n_c, k_c.
struct GemmBlock {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
};

struct Machine {
    std::string name = "local";
    double flops_per_second = 1e11;        ///< gamma: peak, per rank
    double memory_bytes_per_second = 1e10; ///< mu: per rank
    double memory_bytes = 0;               ///< per rank; 0: no limit
    std::optional<GemmBlock> gemm_block;
    double reduction_flops_per_second = 0; ///< gamma_+; 0: the arithmetic of reductions is not priced
    /// The levels, innermost first, at least one. The units of the first level are ranks; ranks fill unit after unit in
    /// the order of their numbers. Example: 16 nodes of 8 ranks are two levels, {8 ranks, inside} and {16 nodes,
    /// network}.
    std::vector<Level> levels = {{}};
    Algorithms algorithms;
    support::KernelRates kernels;                     ///< measured; used instead of peak and memory bandwidth
    std::vector<support::CollectiveRate> collectives; ///< measured; used instead of the links; ascending

    [[nodiscard]] Link &network() { return levels.back().link; } ///< of the outermost level
    [[nodiscard]] const Link &network() const { return levels.back().link; }
};

/// Converts the description in a checked program.
[[nodiscard]] Machine machine(const sema::Machine &declared);

/// The same machine priced by its links alone: no measured collectives, and the program itself sends the messages that
/// MPI would send, where there is an algorithm by messages (planrt/steps.h).
[[nodiscard]] Machine by_messages(Machine machine);

/// Whether the price of a collective depends on the mesh axes over which it runs, for axes of equal size.
[[nodiscard]] bool placement_matters(const Machine &machine, std::int64_t ranks);

} // namespace planc::cost
