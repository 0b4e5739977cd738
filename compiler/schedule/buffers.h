// Where values lie in the arena, after assign-buffers.
#pragma once

#include "ir/plan_dialect.h"

#include <cstdint>

namespace planc::schedule {

/// Bytes from the start of the arena. Arguments carry `plan.offset`, variables and reads of them `offset`, operations
/// `offsets`; views and waits show another value's buffer.
[[nodiscard]] int64_t offset_of(mlir::Value value);

/// The value whose buffer this one shows: through views and waits.
[[nodiscard]] mlir::Value buffer_root(mlir::Value value);

/// Bytes of the largest block of any rank.
[[nodiscard]] int64_t buffer_bytes(ir::TensorType type, ir::MeshAttr mesh);

/// Of a value that an operation makes: weights in a format of the kernel's take what that may take.
[[nodiscard]] int64_t buffer_bytes(mlir::Value value, ir::MeshAttr mesh);

/// Bytes of scratch that a started collective packs into.
[[nodiscard]] int64_t scratch_bytes(ir::StartOp start, ir::MeshAttr mesh);

} // namespace planc::schedule
