// The machine as the cost model reads it: rates, links, the algorithm of its all-reduce. Data, never code.
#pragma once

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

/// How an all-reduce runs. `ring` is also called bucket.
enum class AllReduce : std::uint8_t { ring, rabenseifner, recursive_doubling, mst };
[[nodiscard]] const char *name(AllReduce algorithm);

/// A message of n bytes takes latency + n / bytes_per_second.
struct Link {
    Seconds latency{};
    double bytes_per_second = 1e9;
    std::vector<std::int64_t> shape; ///< of a mesh or torus: nodes per dimension; empty: a star
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
    std::int64_t ranks_per_node = 1;
    Link network;
    std::optional<Link> inside; ///< between the ranks of one node; absent: the network's
    AllReduce all_reduce = AllReduce::ring;
};

/// From the checked program's description.
[[nodiscard]] Machine machine(const sema::Machine &declared);

} // namespace planc::cost
