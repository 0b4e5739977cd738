// Classes of ranks that behave alike in a simulation, so that one of them can stand for all: ranks with equal numbers
// (sizes of blocks, traffic) whose groups have members of the same classes. A rank's times depend only on its own
// seconds and on the times of the members of its groups; so, by induction over the events of the simulation, ranks of
// one class have the same times. The coarsest such partition is found by refinement (as for finite automata, Hopcroft
// 1971).
//
// Example: 6 rows on a mesh [rows: 4, cols: 2]: ranks 0 to 3 have two rows, 4 to 7 one: two classes.
#pragma once

#include "timeline/program.h"

#include <planrt/layout.h>

#include <cstdint>
#include <vector>

namespace planc::timeline {

struct RankClasses {
    std::vector<RankClass> classes; ///< in the order of their first ranks
    std::vector<int> of_rank;
};

/// `numbers`: columns with a number for each rank. `groups`: the sets of mesh axes over which ranks communicate.
[[nodiscard]] RankClasses rank_classes(const planrt::Mesh &mesh, const std::vector<std::vector<std::int64_t>> &numbers,
                                       const std::vector<std::vector<int>> &groups);

/// The classes of the ranks in the group of `rank` over `axes`, ascending, each once.
[[nodiscard]] std::vector<int> classes_in_group(const RankClasses &classes, const planrt::Mesh &mesh, int rank,
                                                const std::vector<int> &axes);

} // namespace planc::timeline
