// The contents of a rank's buffer of a tensor, as boxes of global indices: its block, or, for a sharded tensor, a range
// of the flattened block.
//
// Example: the elements [2, 8) of a block [0,3) × [0,4) are the boxes [0,1) × [2,4) and [1,2) × [0,4).
#pragma once

#include <planrt/layout.h>

#include <vector>

namespace planrt {

/// Boxes whose elements, each box row-major, follow one another in the buffer. None of them is empty; a scalar is one
/// box without dimensions.
[[nodiscard]] std::vector<Box> pieces(const Placement &placement, const Mesh &mesh, int rank);

/// The boxes of the elements `range` of the flattened `box`.
[[nodiscard]] std::vector<Box> pieces(const Box &box, Range range);

} // namespace planrt
