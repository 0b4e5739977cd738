// One operation on one rank's parts of its operands.
#pragma once

#include "interpret/local.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace planc::interpret {

/// What random numbers and schedules depend on.
struct Moment {
    std::int64_t step = 0; ///< steps done before
    std::uint64_t seed = 0;
    std::int64_t first_sample = 0; ///< of the micro-batch
};

/// Runs the operation's loop nest over the local ranges, which all tensors that have a loop must agree on: throws
/// Failure otherwise. `operands` and `results` are in order; the results come with their boxes and are filled. Where
/// tensors are stored in shares, the points of this rank are those whose elements it holds; all of them must agree on
/// those.
void evaluate(mlir::Operation *op, const std::vector<const Local *> &operands, std::vector<Local> &results,
              const Moment &moment);

} // namespace planc::interpret
