// How many ranks of a plan have work of their own: more ranks than the loops of a network have iterations are of no
// use.
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planc::plan {

/// Of the operation that most ranks share.
struct RanksAtWork {
    std::int64_t ranks = 1;                                  ///< that have iterations which no other rank has
    LayerId layer;                                           ///< of the operation; none: no layer is split
    std::vector<std::pair<std::string, std::int64_t>> parts; ///< its split loops, and into how many parts that hold any
};
[[nodiscard]] RanksAtWork ranks_at_work(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers);

/// P14: what the user should know where that is half of the ranks or fewer: the rest of a sentence whose subject is the
/// layout. Empty: there is nothing to say.
///
/// Example: "has work for 64 of 100,000 ranks at most (layer 'h1': batch in 64 parts); the others …"
[[nodiscard]] std::string warning_of_idle_ranks(const Graph &graph, const Plan &plan);

} // namespace planc::plan
