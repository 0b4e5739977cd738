// What one rank computes for one operation, on its blocks: plain loops over the operation's nest.
#pragma once

#include "interpret/array.h"

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace planc::interpret {

struct KernelCall {
    mlir::Operation *operation = nullptr;
    std::vector<const Block *> operands;
    std::vector<planrt::Box> results; ///< boxes of the results
    std::int64_t step = 0;            ///< training steps done before
};

/// The results, or in `error` which operand lies elsewhere than its operation reads it.
[[nodiscard]] std::vector<Block> compute(const KernelCall &call, std::string &error);

} // namespace planc::interpret
