// Cuts a training function into bodies: forward, backward, update. assign-buffers uses it to find values that outlive a
// body, outline-bodies to make the bodies.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <vector>

namespace planc::schedule {

/// The operations of each body, by Part.
using Segments = std::array<std::vector<mlir::Operation *>, 3>;

/// A part begins after the last operation of the previous part, so updates that were moved forward belong to the
/// backward pass. Reads are left out, because each body has its own.
[[nodiscard]] Segments segments(mlir::Block &block);

} // namespace planc::schedule
