// The ranks of a collective and the links between them: the levels of the machine, and the dimensions of a mesh or
// torus, that a set of mesh axes crosses when ranks fill the machine in the order of their numbers.
//
// Example: 16 nodes of 8 ranks, mesh [rows: 4, cols: 16]. A group over cols is two nodes: spans {2 at level 1, 8 at
// level 0}; a unit of level 1, a node, has 8 ranks of one group. A group over rows has one rank in every second node:
// span {4 at level 1}; the 8 groups of a node send through its links at the same time.
#pragma once

#include "cost/machine.h"

#include <planrt/layout.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// Consecutive members of a group, joined by one level along one dimension of its network.
struct Span {
    std::int64_t size = 1;
    int level = 0;           ///< index into Group::levels
    std::int64_t hop = 1;    ///< distance between neighbours in the dimension
    std::int64_t length = 0; ///< of the dimension; 0: a star, in which all units are one hop apart
};

/// How the group uses a level of the machine.
struct GroupLevel {
    Link link;
    double one = 1;     ///< messages that leave a unit at once if each group sends one: a ring, a tree
    double all = 1;     ///< messages that leave a unit at once if every rank sends to any other of its group
    bool taken = false; ///< some neighbours in the group are joined by exactly this level
};

struct Group {
    std::int64_t ranks = 1;
    std::vector<GroupLevel> levels; ///< the machine's levels, from the innermost to the outermost in use
    /// Major first; their sizes multiply to `ranks`. If ranks do not fill units and dimensions evenly, one span covers
    /// all levels.
    std::vector<Span> spans;
    bool even = true;
    /// Of an uneven group that was counted: by k, how exchanges with the member at distance 2^k use the levels.
    std::vector<std::vector<GroupLevel>> at_distances = {};

    /// Whether a network with dimensions is involved. Then rings and trees run dimension by dimension.
    [[nodiscard]] bool by_dimension() const;
    /// Whether some of its messages stay among the ranks that the innermost level joins, a node.
    [[nodiscard]] bool stays_inside() const;
    /// Whether some leave it. They use other links.
    [[nodiscard]] bool leaves() const;
};

/// The bandwidth of one message at this level. It also takes the links of the surrounding units.
[[nodiscard]] double bytes_per_second(const std::vector<GroupLevel> &levels, int level, bool all_send);

/// The group over mesh `axes` (indices into `sizes`, ranks numbered row-major). If ranks do not fill the machine's
/// units evenly, the links are shared as in the unit that the most messages leave; of more than 65,536 ranks, all ranks
/// of a unit are assumed to send at once.
[[nodiscard]] Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine);

/// The group over axes of the mesh of a role, whose ranks are in the machine where those of the whole mesh are. It
/// crosses what lies between its own ranks, and shares links with the same groups of all roles of an even mesh, as if
/// all of them sent at once.
[[nodiscard]] Group group(std::span<const int> axes, const planrt::Mesh &whole, const planrt::Role &role,
                          const Machine &machine);

/// The same for no role in particular: of an even mesh, the slowest of all roles.
[[nodiscard]] Group group_of_any_role(std::span<const int> axes, const planrt::Mesh &whole, const planrt::Role &role,
                                      const Machine &machine);

/// The ranks of two different roles that send each other messages. `alike`: each only to the one at the same place of
/// the other role. The dimensions of a torus do not count.
[[nodiscard]] Group group_between(const planrt::Mesh &whole, const planrt::Role &a, const planrt::Role &b,
                                  const Machine &machine, bool alike);

/// Ranks of a star.
[[nodiscard]] Group star(std::int64_t ranks, const Link &link);

} // namespace planc::cost
