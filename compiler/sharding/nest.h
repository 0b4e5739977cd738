// The loop nest of an operation: the one description from which all of its communication is derived.
//
// Example: y[batch, out] = sum over in of x[batch, in] * w[in, out]
//   loops    batch (parallel), in (reduced by sum), out (parallel)
//   operands x {0, 1}, w {1, 2}      result y {0, 2}
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::sharding {

using planrt::Reduction;

enum class LoopKind : std::uint8_t {
    parallel, ///< each iteration writes its own part of the result
    reduced,  ///< iterations combine by Nest::reduction
    whole     ///< cannot be split
};

struct Loop {
    std::string name; ///< the dimension's role as rules name it: "batch", "hidden", "hidden'"
    std::int64_t extent = 1;
    LoopKind kind = LoopKind::parallel;
};

/// Maps dimensions of operands and results to loops: operands[i][d] is the loop of dimension d of operand i. An operand
/// need not have every loop (it is replicated along it); each dimension has exactly one loop; the loops of one
/// tensor are distinct. A parallel loop appears in every result, a reduced one in none.
struct Nest {
    std::vector<Loop> loops;
    std::vector<std::vector<int>> operands;
    std::vector<std::vector<int>> results;
    Reduction reduction = Reduction::sum;
    /// A sum may pass through: f(a + b) = f(a) + f(b) in all operands jointly (sum of partials, scaling by a constant,
    /// summing over a loop, permuting). Products of two operands are not linear in this sense.
    bool linear = false;
};

/// Mesh axis -> loop of one nest, -1 for none. strategy[axis] is an index into Nest::loops. Where several axes cut the
/// same loop, `order` says which is major; it lists all axes, by default ascending.
///
/// `stored`: axes by which the iterations of a flat nest (is_flat()), row-major, are cut into balanced ranges, as
/// shares of stored tensors are (planrt::Placement::stored); none of them cuts a loop.
struct Strategy {
    std::vector<int> loop_of_axis;
    std::vector<int> order;
    std::vector<int> stored = {};
};

} // namespace planc::sharding
