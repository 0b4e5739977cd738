// Cuts a training function into bodies: forward, backward, update (section_of()). assign-buffers uses it to find values
// that outlive a body, outline-bodies to make the bodies.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace planc::schedule {

/// The operations of each body, by section.
using Segments = std::vector<std::vector<mlir::Operation *>>;

/// A section begins after the last operation of the previous one, so updates that were moved forward belong to the
/// backward pass. Reads are left out, because each body has its own.
[[nodiscard]] Segments segments(mlir::Block &block);

} // namespace planc::schedule
