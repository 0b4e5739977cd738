// The loop nest of an operation, from which all of its communication is derived.
//
// Example: y[batch, out] = sum over in of x[batch, in] * w[in, out]
//   loops    batch (parallel), in (reduced by sum), out (parallel)
//   operands x {0, 1}, w {1, 2}      result y {0, 2}
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::sharding {

using planrt::Reduction;

enum class LoopKind : std::uint8_t {
    parallel, ///< each iteration writes its own part of the result
    reduced,  ///< Nest::reduction combines the iterations
    whole     ///< cannot be split
};

struct Loop {
    std::string name; ///< the dimension's role as rules name it: "batch", "hidden", "hidden'"
    std::int64_t extent = 1;
    LoopKind kind = LoopKind::parallel;
};

/// A dimension of an operand that two loops index, as in convolutions and pools: operands[operand][dimension] is the
/// loop of the window's positions; `kernel_loop`, which cannot be split, runs within the window (planrt::Window).
///
/// Example: y[row] = sum over k of x[2 * row - 1 + k] * w[k]: loops row (parallel), k (whole); operands x {0}, w {1},
/// result y {0}; windows {operand 0, dimension 0, kernel_loop 1, extent of x, stride 2, dilation 1, padding 1}. If
/// `row` is split, x is needed with a halo; otherwise replicated.
struct NestWindow {
    int operand = 0;
    int dimension = 0;
    int kernel_loop = 0;
    std::int64_t extent = 1; ///< of the dimension
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padding = 0; ///< before index 0
    bool transposed = false;
    /// The loop of the positions is split only if the windows coincide with the blocks of the dimension (bind()).
    bool blocks_only = false;

    friend bool operator==(const NestWindow &, const NestWindow &) = default;
};

/// Two loops of which only the entries of a sparse matrix are visited. If `outer` is split, a rank needs only those
/// indices of `inner` at which its rows have entries. If `inner` is split, a rank has addends only of those indices of
/// `outer` at which its columns have entries.
struct SparseLoops {
    int outer = 0;           ///< over the rows of the stored block
    int inner = 0;           ///< over the entries of such a row
    double density = 1;      ///< entries per element of the matrix
    int matrix = 0;          ///< planrt::Window::matrix; 0: nobody has read it, and all indices are needed
    bool lists_rows = false; ///< what has a row for each index of `outer` may leave out those without entries
    bool exchanged = false;  ///< the two loops have the names of each other (bind() in lay_out.h)
};

/// Maps dimensions of operands and results to loops: operands[i][d] is the loop of dimension d of operand i. An operand
/// need not have every loop (it is replicated along the others). Each dimension has exactly one loop; the loops of one
/// tensor are distinct. A parallel loop appears in every result, a reduced one in none. The extent of a dimension is
/// that of its loop, except for windows.
struct Nest {
    std::vector<Loop> loops;
    std::vector<std::vector<int>> operands;
    std::vector<std::vector<int>> results;
    Reduction reduction = Reduction::sum;
    /// Partial sums may pass through: f(a + b) = f(a) + f(b) in all operands jointly (adding partial sums, scaling by a
    /// constant, summing over a loop, permuting). Products of two operands are not linear in this sense.
    bool linear = false;
    std::vector<NestWindow> windows = {};
    std::optional<SparseLoops> sparse = {};

    /// The window of a dimension of an operand; null if its one loop alone indexes it.
    [[nodiscard]] const NestWindow *window(std::size_t operand, std::size_t dimension) const;
};
/// The window in the runtime's terms.
[[nodiscard]] planrt::Window window_of(const NestWindow &window, const Nest &nest);

/// Maps each mesh axis to a loop of one nest: loop_of_axis[axis] is an index into Nest::loops, or -1. If several axes
/// split the same loop, `order` says which is major; it lists all axes, by default ascending.
///
/// `stored`: axes by which the iterations of a flat nest (is_flat()), in row-major order, are cut into balanced ranges,
/// like the shards of stored tensors (planrt::Placement::stored). None of them splits a loop.
struct Strategy {
    std::vector<int> loop_of_axis;
    std::vector<int> order;
    std::vector<int> stored = {};
};

} // namespace planc::sharding
