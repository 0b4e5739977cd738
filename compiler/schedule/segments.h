// How a training function is cut into bodies: forward, backward, update. assign-buffers asks what outlives a body,
// outline-bodies makes them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <vector>

namespace planc::schedule {

/// By Part.
using Segments = std::array<std::vector<mlir::Operation *>, 3>;

/// A part begins behind the last operation of the one before, so that updates ahead of their part belong to the
/// backward pass. Reads are left out: each body has its own.
[[nodiscard]] Segments segments(mlir::Block &block);

} // namespace planc::schedule
