// The memory of sparse matrices, which are no tensors of the step: their blocks are made at set-up and never move.
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"

namespace planc::cost {

/// The bytes of all blocks on the rank with the largest ones, with the average number of nonzeros; each block once,
/// however many products need it.
[[nodiscard]] Bytes bytes_of_matrices(const sharding::Graph &graph, const sharding::LaidOut &laid_out,
                                      const sharding::Mesh &mesh);

} // namespace planc::cost
