// The ranks of a collective and the links between them: which levels of the machine, and which dimensions of a mesh or
// torus network, a set of mesh axes crosses when ranks fill the machine in the order of their numbers.
//
// Example: 16 nodes of 8 ranks, mesh [rows: 4, cols: 16]. A group over cols is two nodes: spans {2 at level 1, 8 at
// level 0}; a unit of level 1, a node, has 8 ranks of one group. A group over rows is one rank in every second
// node: span {4 at level 1}; the 8 groups of a node send through its links at once.
#pragma once

#include "cost/machine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// Consecutive members of a group that one level joins, along one dimension of its network.
struct Span {
    std::int64_t size = 1;
    int level = 0;           ///< index into Group::levels
    std::int64_t hop = 1;    ///< between neighbours in the dimension
    std::int64_t length = 0; ///< of the dimension; 0: a star, where all are one hop apart
};

/// A level of the machine as the group uses it.
struct GroupLevel {
    Link link;
    double one = 1;     ///< messages that leave a unit at once where each group sends one: a ring, a tree
    double all = 1;     ///< where every rank of the unit sends
    bool taken = false; ///< some neighbours in the group have just this level between them
};

struct Group {
    std::int64_t ranks = 1;
    std::vector<GroupLevel> levels; ///< the machine's, from the innermost to the last that is taken
    /// Major first; their sizes multiply to `ranks`. Where ranks do not fill units and dimensions evenly, one span over
    /// all of the levels.
    std::vector<Span> spans;
    bool even = true;

    /// Has a network with dimensions a part in it? Then rings and trees run dimension by dimension.
    [[nodiscard]] bool by_dimension() const;
    /// Of one message at this level, which takes the links of the units around it too.
    [[nodiscard]] double bytes_per_second(int level, bool all_send) const;
};

/// The group over mesh `axes` (indices into `sizes`, ranks numbered row-major). Where ranks do not fill the machine's
/// units evenly, at most as fast as it is: of more than 65,536 ranks, all of a unit send at once.
[[nodiscard]] Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine);

/// Ranks of a star.
[[nodiscard]] Group star(std::int64_t ranks, const Link &link);

} // namespace planc::cost
