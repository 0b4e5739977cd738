// A lower bound on the seconds that any route takes from one placement of a tensor to another.
//
// Elements. A step takes at least as long as its ranks receive, on average, over the fastest link; so it suffices to
// count what arrives at all ranks, by whatever route:
//
//   no sums   A rank needs its part of `to`. What it has of it in `from` need not arrive.
//   sums      An element is the sum of R addends at different ranks. A message joins at most two groups of ranks that
//             know of each other's addends, so R - 1 arrive before the first rank has the sum. Each other rank that
//             needs the sum then receives at least one more. Together: R - 2 more than there are ranks that need it.
//   addends   An element is the sum of k addends, and R ranks have each of them: k - 1 arrive before a rank has the
//   sum. Of
//             the m ranks that need it, R may have all addends; the others receive one more. What nobody has is 0.
//
// Messages. In a step whose latency is that of L messages, what a rank has comes from at most 2^L ranks. If a rank
// needs something from all positions along an axis of p ranks, lg p messages are due; p - 1 if all collectives are
// rings. Several such axes multiply the positions, so their messages add up.
//
// Example: [8, 8] over 4 ranks, from a block of rows each to a block of columns each: a rank needs 16 elements and has
// 4 of them, so 12 arrive.
#pragma once

#include "cost/machine.h"
#include "sharding/reshards.h"

#include <cstdint>
#include <map>
#include <vector>

namespace planc::certificate {

class LeastTransfers {
  public:
    /// The mesh must outlive this.
    LeastTransfers(const sharding::Mesh &mesh, const cost::Machine &machine);

    /// Between two placements of a shape, by their numbers. `latency`: that of the messages counts too.
    double seconds(const sharding::Reshards &shape, int from, int to, int element_bytes, bool latency);

  private:
    using Axes = std::uint32_t; ///< a set, without axes of one rank

    /// How a dimension is split. Lengths are in elements.
    struct Way {
        planrt::DimensionPlacement placed;
        Axes axes = 0;
        double average = 0;   ///< length of a rank's part
        double together = 0;  ///< length of all parts, where they overlap counted once
        bool is_dense = true; ///< no part is empty
    };
    struct Overlap {
        double average = -1; ///< over all ranks; negative: not known yet
        double largest = 0;
    };
    struct Dimension {
        std::vector<Way> ways;
        std::vector<std::vector<Overlap>> overlaps; ///< [way before][way after]
    };
    struct Placed {
        std::vector<int> ways; ///< per dimension
        Axes cut = 0;
        Axes partial = 0;
        Axes stored = 0;
        bool windows = false;
        bool addends = false; ///< in the windows (planrt::Window::addends)
        double average = 1;   ///< elements of a rank
        double together = 1;  ///< elements that any rank has
    };
    /// What a transfer needs at least.
    struct Least {
        double elements = -1; ///< that arrive at a rank, on average; negative: not known yet
        double messages = 0;
    };
    struct Shape {
        std::vector<Dimension> dimensions;
        std::vector<Placed> placed;            ///< by number
        std::vector<std::vector<Least>> least; ///< [from][to]
    };

    const Least &least(const sharding::Reshards &reshards, Shape &shape, int from, int to) const;

    const Placed &placed(const sharding::Reshards &reshards, Shape &shape, int number) const;
    [[nodiscard]] Placed measured(const sharding::Placement &placement, Shape &shape) const;
    int way(const planrt::DimensionPlacement &placed, Dimension &dimension) const;
    const Overlap &overlap(Dimension &dimension, int from, int to) const;
    /// The elements that a rank already has of those that it needs, on average, if nothing is sharded.
    double kept(Shape &shape, const Placed &from, const Placed &to) const;
    double arriving(Shape &shape, const Placed &from, const Placed &to) const;
    [[nodiscard]] double messages(const Shape &shape, const Placed &from, const Placed &to) const;
    [[nodiscard]] Axes set_of(std::span<const int> axes) const;
    [[nodiscard]] double size(Axes axes) const;
    /// Calls visit(coordinates) for every position along the axes.
    template <class Visit> void for_positions(Axes axes, const Visit &visit) const;
    [[nodiscard]] planrt::Range part(const Way &way, const std::vector<int> &coordinates) const;

    const sharding::Mesh &mesh_;
    double bytes_per_second_;        ///< of the fastest link
    double message_seconds_;         ///< the least latency
    std::vector<double> to_gather_;  ///< per axis: messages of an all-gather
    std::vector<double> to_scatter_; ///< of a reduction whose sums stay split along the axis
    std::vector<double> to_sum_;     ///< of one whose sums all ranks need
    std::map<const sharding::Reshards *, Shape> shapes_;
};

} // namespace planc::certificate
