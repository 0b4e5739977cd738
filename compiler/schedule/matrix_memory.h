// The memory of a rank beside its arena: the blocks of sparse matrices by which it multiplies, as planrt stores them by
// rows. They are made at set-up and never move.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace planc::schedule {

/// The bytes of all blocks, each once, on the rank of a role (planrt::Role) that has most.
[[nodiscard]] std::int64_t matrix_bytes(mlir::ModuleOp scheduled, int role);

/// What a rank takes: arena and matrices of the role that takes most.
[[nodiscard]] std::int64_t memory_bytes(mlir::ModuleOp scheduled);

} // namespace planc::schedule
