// The memory of a rank beside its arena: the blocks of sparse matrices by which it multiplies, as planrt stores them by
// rows. They are made at set-up and never move.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace planc::schedule {

struct RankMemory {
    std::int64_t matrices = 0; ///< bytes of all blocks, each once, on the rank that has most
    std::int64_t all = 0;      ///< arena and matrices of the rank that takes most
};
[[nodiscard]] RankMemory rank_memory(mlir::ModuleOp scheduled);

} // namespace planc::schedule
