// The alpha-beta price of a collective by its algorithm (Thakur, Rabenseifner, Gropp 2005; Chan et al. 2007).
//
// P ranks, n bytes of the full vector, alpha seconds per message, beta seconds per byte; lg rounds up:
//
//   all-reduce      ring             2(P-1) alpha            2(P-1)/P n beta
//                   rabenseifner     2 lg P alpha            2(P-1)/P n beta    P a power of two; else MPICH's form
//                                    (2 floor(lg P) + 2)     (2(P-1)/P + 2) n
//                   rec. doubling    lg P                    lg P n
//                   mst              2 lg P                  2 lg P n
//   reduce-scatter, all-gather       P-1                     (P-1)/P n          ring
//   broadcast       binomial         lg P                    lg P n
//   all-to-all      pairwise         P-1                     what leaves the rank
//   point to point                   messages                what leaves the rank
//
// Example: an all-reduce of 1 MB over 4 ranks by ring on 1 us, 1 GB/s: 6 us + 1.5 ms.
#pragma once

#include "cost/machine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// The ranks of one collective and what joins them.
struct Group {
    std::int64_t ranks = 1;
    Link link;
    /// Nodes per dimension where the link is a mesh or torus and the group fills it: MST and ring go dimension by
    /// dimension. Empty: one dimension of `ranks`.
    std::vector<std::int64_t> shape;
};

/// The group over mesh `axes` (indices into `sizes`, ranks numbered row-major) on a machine: the inside link where no
/// group leaves a node, the network otherwise.
[[nodiscard]] Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine);

struct Price {
    double messages = 0; ///< that one rank sends one after the other
    Bytes wire{};        ///< that one rank sends
    Seconds latency{};
    Seconds transfer{};
    Seconds arithmetic{};
    [[nodiscard]] Seconds seconds() const { return latency + transfer + arithmetic; }
    friend Price operator+(const Price &a, const Price &b) {
        return {a.messages + b.messages, a.wire + b.wire, a.latency + b.latency, a.transfer + b.transfer,
                a.arithmetic + b.arithmetic};
    }
    friend Price operator*(double times, const Price &price) {
        return {times * price.messages, times * price.wire, times * price.latency, times * price.transfer,
                times * price.arithmetic};
    }
};

/// `n`: bytes of the vector that every rank contributes and gets. `elements`: of it, for the arithmetic.
[[nodiscard]] Price all_reduce(AllReduce algorithm, const Group &group, Bytes n, double elements,
                               double reduction_flops_per_second);
/// `n`: bytes of the vector that every rank contributes.
[[nodiscard]] Price reduce_scatter(const Group &group, Bytes n, double elements, double reduction_flops_per_second);
/// `n`: bytes of the vector that every rank gets.
[[nodiscard]] Price all_gather(const Group &group, Bytes n);
/// `n`: bytes of the vector.
[[nodiscard]] Price broadcast(const Group &group, Bytes n);
/// `leaving`: bytes that one rank sends to others.
[[nodiscard]] Price all_to_all(const Group &group, Bytes leaving);
/// `messages` sends of together `leaving` bytes.
[[nodiscard]] Price point_to_point(const Link &link, double messages, Bytes leaving);

} // namespace planc::cost
