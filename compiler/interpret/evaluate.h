// Evaluates one operation on one rank's parts of its operands.
#pragma once

#include "interpret/interpret.h"
#include "interpret/local.h"

#include "mlir/IR/Operation.h"

#include <map>
#include <string>
#include <vector>

namespace planc::interpret {

/// The state on which random numbers and schedules depend, and the sparse arguments.
struct Moment {
    std::int64_t step = 0; ///< steps done before
    std::uint64_t seed = 0;
    std::int64_t first_sample = 0; ///< of the micro-batch
    const std::map<std::string, Array> *matrices = nullptr;
};

/// Runs the operation's loop nest over the local ranges. All tensors that have a loop must agree on its range;
/// otherwise it throws Failure. `operands` and `results` are in order; the results come with their boxes and are
/// filled. If tensors are sharded, this rank's points are those whose elements it holds, and all tensors must agree on
/// them.
void evaluate(mlir::Operation *op, const std::vector<const Local *> &operands, std::vector<Local> &results,
              const Moment &moment);

} // namespace planc::interpret
