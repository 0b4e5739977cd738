// longest_chain(): the critical path of a step, which is a lower bound on its time under any overlap.
//
// A collective waits for the operation that makes its tensor, and the reader of its result waits for the collective. So
// the seconds of operations and collectives along any chain add up. Not counted is what a schedule may do faster than
// it is priced: halo exchanges, beside which rows that need no halo are computed (schedule/overlap_halos), updates
// within products (schedule/accumulate_products), and pools.
#pragma once

#include "sharding/lay_out.h"
#include "support/units.h"

#include <vector>

namespace planc::cost {

/// The seconds of each part of the step, once, on the first rank, which has the largest blocks of everything.
struct PartSeconds {
    sharding::PerOperation<support::Seconds> operations;
    /// As LaidOut::copies: of all steps that make the copy.
    sharding::PerValue<std::vector<support::Seconds>> copies;
};

/// The longest chain through one micro-batch.
[[nodiscard]] support::Seconds longest_chain(const sharding::Graph &graph, const sharding::LaidOut &laid_out,
                                             const PartSeconds &seconds);

} // namespace planc::cost
