// The machine as the cost model reads it: rates, links, the algorithms of its collectives. Data, never code.
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

/// One level of a hierarchical machine: units of the level below, joined by a link.
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
    /// Innermost first, at least one. The units of the first are ranks; rank numbers fill units one after the other.
    /// Example: 16 nodes of 8 ranks are two levels, {8 ranks, inside} and {16 nodes, network}.
    std::vector<Level> levels = {{}};
    Algorithms algorithms;
    support::KernelRates kernels;                     ///< measured: go before peak and memory bandwidth
    std::vector<support::CollectiveRate> collectives; ///< measured: go before the links; ascending

    [[nodiscard]] Link &network() { return levels.back().link; } ///< of the outermost level
    [[nodiscard]] const Link &network() const { return levels.back().link; }
};

/// From the checked program's description.
[[nodiscard]] Machine machine(const sema::Machine &declared);

/// The same machine as its links alone have it: what MPI runs, as far as it has an algorithm by messages
/// (planrt/steps.h), the program sends itself; nothing of collectives was measured.
[[nodiscard]] Machine by_messages(Machine machine);

/// Does it matter to the price of a collective over which of the mesh axes it runs, equal sizes given?
[[nodiscard]] bool placement_matters(const Machine &machine, std::int64_t ranks);

} // namespace planc::cost
