// The alpha-beta price of a collective by its algorithm (Thakur, Rabenseifner, Gropp 2005; Chan et al. 2007).
//
// P ranks, n bytes of the full vector, alpha seconds per message, beta seconds per byte; lg rounds up:
//
//   all-reduce      ring               2(P-1) alpha            2(P-1)/P n beta
//                   rabenseifner       2 lg P alpha            2(P-1)/P n beta    with any P (Bruck et al. 1997)
//                   recursive_doubling lg P                    lg P n             P a power of two; else
//                                      floor(lg P) + 2         (floor(lg P) + 2) n
//                   mst                2 lg P                  2 lg P n
//   reduce-scatter  ring               P-1                     (P-1)/P n
//                   recursive_halving  lg P                    (P-1)/P n
//   all-gather      ring               P-1                     (P-1)/P n
//                   recursive_doubling lg P                    (P-1)/P n
//   broadcast       binomial           lg P                    lg P n
//                   scatter_allgather  lg P + P-1              2(P-1)/P n
//   all-to-all      pairwise           P-1                     what leaves the rank
//   point to point                     messages                what leaves the rank
//
// These are the messages of planrt::steps(), which a program sends if it does not call MPI. All blocks are priced as
// equal.
//
// An algorithm is a sequence of rounds (rounds()); each round is priced by the slowest link that its messages take. On
// a star, the sums are the forms above. On a mesh or torus, rings and trees (mst, binomial) run dimension by dimension,
// with latencies 2 sum (d_k - 1) and 2 sum lg d_k; other messages share the links that they pass. On a hierarchical
// machine, a ring is as fast as its slowest link; halving and doubling pass through each level in separate rounds;
// ranks of a unit that send at once share its links. A `hierarchical` all-reduce is a ring reduce-scatter in each unit,
// rabenseifner between the outermost units on each rank's share, and a ring all-gather in each unit. A group within one
// unit, or with one rank in each unit, runs rabenseifner; a group that fills its units unevenly runs a ring.
//
// Example: an all-reduce of 1 MB over 4 ranks by ring on 1 us, 1 GB/s: 6 us + 1.5 ms.
#pragma once

#include "cost/collectives/group.h"

#include <planrt/steps.h>

#include <cstdint>
#include <vector>

namespace planc::cost {

/// Messages that a rank sends one after another over links of one kind.
struct Round {
    double messages = 1;
    double share = 0; ///< the part of n in all of these messages
    Seconds latency{};
    double bytes_per_second = 1;
};

struct Price {
    double messages = 0; ///< the number that one rank sends one after another
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
[[nodiscard]] Price price(const std::vector<Round> &rounds, Bytes n);

/// The rounds of each collective; none if the group is one rank. If the collective lacks the algorithm, its ring is
/// used.
[[nodiscard]] std::vector<Round> all_reduce_rounds(Algorithm algorithm, const Group &group);
/// also those of a reduce-scatter
[[nodiscard]] std::vector<Round> gather_rounds(Algorithm algorithm, const Group &group);
[[nodiscard]] std::vector<Round> broadcast_rounds(Algorithm algorithm, const Group &group);
[[nodiscard]] std::vector<Round> all_to_all_rounds(const Group &group);
/// One message, either between neighbours of the group or between any two of its ranks.
[[nodiscard]] std::vector<Round> exchange_rounds(const Group &group, bool neighbours);

/// How a program runs, on this group, what all_reduce() and the others price; for planrt::steps(). The algorithm must
/// not be one of broadcasts or all-to-alls.
[[nodiscard]] planrt::Method method(Algorithm algorithm, const Group &group);

/// `n`: bytes of the vector that every rank contributes and receives. `elements`: its elements, for the arithmetic.
[[nodiscard]] Price all_reduce(Algorithm algorithm, const Group &group, Bytes n, double elements,
                               double reduction_flops_per_second);
/// `n`: bytes of the vector that every rank contributes.
[[nodiscard]] Price reduce_scatter(Algorithm algorithm, const Group &group, Bytes n, double elements,
                                   double reduction_flops_per_second);
/// `n`: bytes of the vector that every rank receives.
[[nodiscard]] Price all_gather(Algorithm algorithm, const Group &group, Bytes n);
/// `n`: bytes of the vector.
[[nodiscard]] Price broadcast(Algorithm algorithm, const Group &group, Bytes n);
/// `leaving`: bytes that one rank sends to others.
[[nodiscard]] Price all_to_all(const Group &group, Bytes leaving);
/// Sends of `leaving` bytes in total, which take the latencies of so many messages, one after another.
[[nodiscard]] Price point_to_point(const Group &group, bool neighbours, double messages, Bytes leaving);

} // namespace planc::cost
