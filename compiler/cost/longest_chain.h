// longest_chain(): what no overlap takes away from a step.
//
// A collective waits for what makes its tensor, and what reads the result waits for the collective; so along any chain
// of operations and the collectives between them the seconds add up, whatever runs beside it. Not counted is what a
// schedule may do in less time than it is priced at here: halos, beside which rows that need none are computed
// (schedule/overlap_halos), updates that products do on the way (schedule/accumulate_products), pools.
#pragma once

#include "sharding/lay_out.h"
#include "support/units.h"

#include <vector>

namespace planc::cost {

/// What the parts of a step take once, on the first rank: it has the largest blocks of everything.
struct PartSeconds {
    std::vector<support::Seconds> operations;          ///< as Graph::operations
    std::vector<std::vector<support::Seconds>> copies; ///< as LaidOut::copies: of the steps that make one
};

/// The longest chain through one micro-batch.
[[nodiscard]] support::Seconds longest_chain(const sharding::Graph &graph, const sharding::LaidOut &laid_out,
                                             const PartSeconds &seconds);

} // namespace planc::cost
