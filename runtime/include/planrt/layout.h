// Blocks, boxes and exchanges: who holds which part of a tensor, and who must send what to whom.
//
// The compiler (which prices and emits communication) and the runtime (which executes it) share this file, so that both
// speak of the same bytes. Plain C++, no MPI. Used when a program is set up, never inside a step.
//
// Example: a tensor [batch: 5, hidden: 8] on mesh [rows: 2, cols: 2] with batch over rows:
//   Placement p{{{5, {0}}, {8, {}}}};
//   local_box(p, mesh, 0) == {[0,3), [0,8)}      local_box(p, mesh, 3) == {[3,5), [0,8)}
#pragma once

#include <planrt/axis_list.h>
#include <planrt/boxed.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planrt {

/// Sizes of the mesh axes; ranks are numbered row-major (the last axis varies fastest).
///
/// A mesh may be uneven: then each position along one axis has sizes of its own for the other axes. Ranks are numbered
/// position by position, and row-major within each. `sizes` are the largest ones; not all coordinates below them exist.
///
/// Example: the pipeline [stage: 2, data: [1, 3]] is {{2, 3}, 0, {{1, 1}, {1, 3}}}. Rank 0 is at (0, 0), and ranks 1 to
/// 3 are at (1, 0) to (1, 2).
struct Mesh {
    std::vector<int> sizes;
    int uneven_along = -1;                       ///< the axis; -1: the mesh is even
    std::vector<std::vector<int>> sizes_at = {}; ///< by position along this axis, whose own size is 1 there

    [[nodiscard]] bool is_even() const { return uneven_along < 0; }
    /// The mesh of the ranks at one position along an axis, which has size 1 there. `axis` of an uneven mesh: the one
    /// along which it is uneven.
    [[nodiscard]] Mesh at(int axis, int position) const;
    [[nodiscard]] int ranks() const;
    [[nodiscard]] std::vector<int> coordinates(int rank) const;
    [[nodiscard]] int rank(std::span<const int> coordinates) const;
    /// The ranks that differ from `rank` only in the coordinates of `axes`, including `rank`, ordered by their
    /// coordinates along `axes` (first axis major).
    [[nodiscard]] std::vector<int> group(int rank, std::span<const int> axes) const;
    friend bool operator==(const Mesh &, const Mesh &) = default;

  private:
    [[nodiscard]] int first_rank(int position) const; ///< at a position along `uneven_along`
    [[nodiscard]] bool exists(std::span<const int> coordinates) const;
};

/// The mesh with these sizes at each position along an axis; even if they are all the same.
[[nodiscard]] Mesh uneven_mesh(int axis, std::vector<std::vector<int>> sizes_at);
/// The size of an axis in words and in JSON: "3"; "[1, 3]" if it differs by position.
[[nodiscard]] std::string size_text(const Mesh &mesh, int axis);

/// Half-open range of global indices along one dimension; may be empty. With a list, only those of its indices that lie
/// in [begin, end), densely one after the other: the needed or touched rows of a sparse product (needed_rows.h).
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    /// Ascending; may begin before `begin` and go on behind `end`; null: all.
    const std::vector<std::int32_t> *listed = nullptr;
    [[nodiscard]] std::int64_t size() const {
        return end <= begin ? 0 : listed == nullptr ? end - begin : position(end);
    }
    /// How many indices of the range are less.
    [[nodiscard]] std::int64_t position(std::int64_t index) const {
        if (listed == nullptr)
            return index - begin;
        return std::lower_bound(listed->begin(), listed->end(), index) -
               std::lower_bound(listed->begin(), listed->end(), begin);
    }
    [[nodiscard]] bool has(std::int64_t index) const {
        return index >= begin && index < end &&
               (listed == nullptr || std::binary_search(listed->begin(), listed->end(), index));
    }
    /// The index at a position.
    [[nodiscard]] std::int64_t index(std::int64_t position) const {
        return listed == nullptr ? begin + position
                                 : *(std::lower_bound(listed->begin(), listed->end(), begin) + position);
    }
    friend bool operator==(const Range &, const Range &) = default;
};
/// At most one of them has a list, or both have the same.
[[nodiscard]] Range intersect(Range a, Range b);

/// Whether the indices of `part` follow one another in `whole`, in which they all are.
[[nodiscard]] bool is_run(const Range &part, const Range &whole);

/// One range per dimension, outermost first. A box without dimensions is a scalar (volume 1).
using Box = std::vector<Range>;
[[nodiscard]] std::int64_t volume(const Box &box);
[[nodiscard]] Box intersect(const Box &a, const Box &b);

/// Block `index` of `parts` balanced blocks: sizes differ by at most one, the larger ones first.
[[nodiscard]] Range block(Range whole, int parts, int index);

/// Parts of the range that windows touch, relative to the rank's own block, which the same axes cut from the dimension
/// itself. The parts before, within and after make up all of it; a rank that has its block lacks the other two, its
/// halo.
enum class WindowPart : std::uint8_t { all, before, within, behind };

/// A window that moves along a dimension, as convolutions and pools read it. At position p of `positions` it touches
/// the indices p * stride - padding + k * dilation for k in [0, kernel); indices outside the dimension are padding.
/// Transposed (for the gradient of the dimension that is read): position p touches all q with p = q * stride - padding
/// + k * dilation.
struct Window {
    std::int64_t positions = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padding = 0; ///< before index 0
    bool transposed = false;
    WindowPart part = WindowPart::all; ///< the part that a placement means; touched() always returns all
    /// Number of a sparse matrix (needed_rows.h); 0: none. Then positions are its rows, and they touch the columns of
    /// their nonzeros; kernel, stride, dilation and padding mean nothing. The first `row_cuts` axes of the dimension
    /// cut the positions, the others the dimension itself.
    int matrix = 0;
    int row_cuts = 0;
    /// With a matrix, of a result, whose rows are then the touched ones: the matrix is the transposed one, and the
    /// `row_cuts` axes cut the columns that are summed over. A rank has an addend of each element whose index it has;
    /// ranks along all other axes have the same ones. The sum is over the first `row_cuts` axes; of an index that no
    /// rank has it is 0.
    bool addends = false;
    friend bool operator==(const Window &, const Window &) = default;
};

/// The indices of a dimension of `extent` from the first to the last that the windows at `positions` touch, without
/// padding; empty if there are none. If padding is cut off between two touched indices, or if a transposed window has a
/// dilation, the range may be longer on that side.
///
/// Example: 8 rows, windows of 3 with padding 1 on 2 ranks: positions [0, 4) touch [0, 5), positions [4, 8) [3, 8).
[[nodiscard]] Range touched(const Window &window, Range positions, std::int64_t extent);

/// A part of the range that windows touch, relative to the rank's own block; may be empty.
[[nodiscard]] Range part_of(Range touched, WindowPart part, Range own);

/// The columns of a numbered matrix that have a nonzero in these rows (needed_rows.h).
[[nodiscard]] Range needed_rows(int matrix, Range rows, Range columns);
/// The most needed rows of any block, if the matrix's rows are cut into so many parts, each of these into so many, …,
/// and its columns likewise. Of -matrix, rows and columns change places.
[[nodiscard]] std::int64_t most_needed_rows(int matrix, const std::vector<int> &row_cuts,
                                            const std::vector<int> &column_cuts);

/// The blocks that axes have cut so far: of the positions of a window, and, by the same cuts, of the dimension itself.
/// Without a window both are equal.
struct CutBlock {
    Range positions;
    Range own;
    int row_cuts = -1; ///< of a sparse matrix: how many of the next axes cut positions; then they cut `own`
};
[[nodiscard]] CutBlock cut_block(const CutBlock &whole, int parts, int index);

/// How one dimension is cut: by the first axis, each block by the next, and so on. With a window, its positions are cut
/// in this way, and a rank has what the windows at its positions touch, or the part of it that the window names. Ranges
/// of different ranks may then overlap (a halo) or leave gaps. Only operands of operations have windows, and results of
/// sparse products, whose windows hold addends: such a placement is never partial, stored or a variable's home, and of
/// operands, no copy is made from it.
struct DimensionPlacement {
    std::int64_t extent = 1;
    AxisList axes;             ///< indices of mesh axes, major first
    Boxed<Window> window = {}; ///< only if there are axes
    friend bool operator==(const DimensionPlacement &, const DimensionPlacement &) = default;

    /// Before any cut: all positions of the window, or the whole dimension.
    [[nodiscard]] CutBlock whole() const {
        return {{0, window ? window->positions : extent}, {0, extent}, is_sparse() ? window->row_cuts : -1};
    }
    /// Whether its ranges are the needed or touched rows of a sparse product.
    [[nodiscard]] bool is_sparse() const { return window && window->matrix != 0; }
    /// After all cuts: the indices of the dimension that the block stands for.
    [[nodiscard]] Range indices(const CutBlock &cut) const {
        if (is_sparse())
            return needed_rows(window->matrix, cut.positions, cut.own);
        return window ? part_of(reach(cut), window->part, cut.own) : cut.positions;
    }
    /// After some of the cuts: at least the indices of all blocks that the other axes make of it.
    [[nodiscard]] Range reach(const CutBlock &cut) const {
        if (is_sparse())
            return cut.own;
        return window ? touched(*window, cut.positions, extent) : cut.positions;
    }
};

enum class Reduction : std::uint8_t { sum, max, min };

/// Where a tensor lies. It is replicated along axes that neither cut a dimension nor are partial.
struct Placement {
    std::vector<DimensionPlacement> dimensions;
    std::vector<int> partial;             ///< axes along which each rank holds only an addend; ascending
    Reduction reduction = Reduction::sum; ///< how partial results combine
    /// Axes by which the local part (the rank's box, flattened row-major) is cut into balanced ranges, by the first
    /// axis, each range by the next: the storage of sharded weights and optimizer state. None of them cuts a dimension
    /// or is partial. The rank's buffer holds only its range, dense.
    std::vector<int> stored = {};
    friend bool operator==(const Placement &, const Placement &) = default;
};

/// Whether a dimension has a window.
[[nodiscard]] bool is_windowed(const Placement &placement);
/// Whether ranks have addends of the rows that they touch (Window::addends).
[[nodiscard]] bool has_addends(const Placement &placement);
/// Whether a dimension has a window that is not that of a sparse matrix: ranks need something of their neighbours'
/// blocks.
[[nodiscard]] bool has_halos(const Placement &placement);

[[nodiscard]] Box local_box(const Placement &placement, const Mesh &mesh, int rank);
/// The range of its flattened box that the rank holds; all of it if nothing is sharded.
[[nodiscard]] Range stored_range(const Placement &placement, const Mesh &mesh, int rank);
/// Elements that the rank holds: the size of stored_range().
[[nodiscard]] std::int64_t local_volume(const Placement &placement, const Mesh &mesh, int rank);
/// Elements of the largest block of any rank: what a buffer must hold.
[[nodiscard]] std::int64_t largest_volume(const Placement &placement, const Mesh &mesh);

/// The communication that turns one placement into another; `slice` is local. One step of a reshard.
///
/// A step is flat if one of its placements has stored axes. Then both have the same dimensions, hence all ranks of a
/// group have the same box, and the stored axes of one begin with those of the other. Positions below are within the
/// flattened box; a buffer of placement p begins at stored_range(p).begin. A flat step is one of
///   all_gather      to.stored is a prefix of from.stored, and the rest are the group's axes: member m contributes the
///                   elements of stored_range(from, m); everyone receives all of them, each at stored_range(from,
///                   m).begin - stored_range(to).begin of its output. (MPI_Allgatherv in place of the range.)
///   reduce_scatter  from.stored is a prefix of to.stored, and the rest are the group's axes and leave `partial`:
///   everyone
///                   gives its whole input; member m receives the sum of the elements in stored_range(to, m), which
///                   begin at stored_range(to, m).begin - stored_range(from).begin of every input.
///   slice           from.stored is a prefix of to.stored: the elements from stored_range(to).begin -
///                   stored_range(from).begin on, stored_range(to).size() of them.
///   all_reduce      from.stored == to.stored: element by element, as for any buffer.
/// Members' ranges follow one another in the order of the group over the stored axes in their order, major first; where
/// that differs from the ascending order of ranks, positions say where a member's elements go. Ranges may be empty.
/// all_to_all and exchange are never flat.
enum class CollectiveKind : std::uint8_t {
    slice,          ///< every rank keeps a part of what it has: no communication
    all_gather,     ///< axes leave the ends of dimensions' axis lists, or of the stored axes
    reduce_scatter, ///< partial axes become the last cuts of dimensions, or the last stored axes
    all_reduce,     ///< partial axes become replicated
    all_to_all,     ///< axes move from the end of one dimension's list to the end of another's
    exchange        ///< anything else without partial results: box intersections, point to point; into windows: halo
                    ///< exchanges; of addends: what arrives is added
};
inline constexpr CollectiveKind collective_kinds[] = {CollectiveKind::slice,          CollectiveKind::all_gather,
                                                      CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
                                                      CollectiveKind::all_to_all,     CollectiveKind::exchange};
[[nodiscard]] const char *name_of(CollectiveKind kind); ///< "all-reduce"

/// Whether the step between these placements is flat.
[[nodiscard]] bool is_flat(const Placement &from, const Placement &to);

/// The axes of a step's group, in the order in which its members' blocks follow one another: as they are stored, or as
/// they cut the dimension that a gather makes whole; otherwise as given.
[[nodiscard]] std::vector<int> block_axes(const Placement &from, const Placement &to, std::span<const int> axes);

struct Transfer {
    int peer = 0; ///< rank in the whole mesh
    Box box;      ///< global indices of the elements that travel
};

/// What one rank does in an exchange from one placement to another. Each box that it needs comes from this rank itself
/// if it has it, else from the holder whose coordinates agree with this rank's on all axes that do not cut `from`.
/// `from` has no windows, unless it has addends: then each box that this rank has or receives is added to zeros, its
/// own first, then in the order of the senders.
struct Exchange {
    std::vector<Transfer> sends;    ///< ascending by peer, without this rank
    std::vector<Transfer> receives; ///< ascending by peer, without this rank
    std::vector<Box> kept;          ///< what this rank copies locally
};
[[nodiscard]] Exchange exchange(const Placement &from, const Placement &to, const Mesh &mesh, int rank);

/// The calls and the payload that one rank hands to MPI in one step. Payload: for all_reduce and reduce_scatter the
/// elements of the whole input vector, for all_gather those of the whole output vector, for all_to_all and exchange
/// those that leave the rank. Calls: one for a collective (also with an empty payload), the number of non-empty sends
/// for an exchange.
struct Traffic {
    std::int64_t calls = 0;
    std::int64_t elements = 0;
    friend bool operator==(const Traffic &, const Traffic &) = default;
};
[[nodiscard]] Traffic traffic(CollectiveKind kind, const Placement &from, const Placement &to, const Mesh &mesh,
                              int rank);

/// A role is a set of ranks of a mesh: those whose coordinates lie in a box of it (a range per axis; empty: every
/// rank). The ranks of a role form a mesh with the same axes, and the tensors of the role are placed on this mesh.
///
/// Example: the second pipeline stage of [stages: 2, rows: 4] is {[1,2), [0,4)}; its mesh is [stages: 1, rows: 4].
struct Role {
    Box coordinates;

    [[nodiscard]] bool has(std::span<const int> mesh_coordinates) const;
    [[nodiscard]] Mesh mesh(const Mesh &whole) const;
    /// Rank within the role's mesh; -1: the rank has another role.
    [[nodiscard]] int rank_within(const Mesh &whole, int rank) const;
    /// The inverse of rank_within(): the rank in the whole mesh.
    [[nodiscard]] int rank_of(const Mesh &whole, int rank_within) const;
};
/// The ranks at one position along an axis: those of Mesh::at().
[[nodiscard]] Role role_at(const Mesh &mesh, int axis, int position);

/// A placement on the ranks of a role.
struct RolePlacement {
    Placement placement; ///< on the role's mesh
    Role role;
};

/// An exchange between two roles. A rank receives each part of its box from one holder. Along an axis that does not cut
/// `from`, the holder's coordinate is the receiver's, modulo the size of that axis in the sending role; coordinates
/// count within the roles. Neither placement is partial or sharded, and `from` has no windows. Peers are ranks of the
/// whole mesh.
[[nodiscard]] Exchange exchange(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank);
/// The traffic of an exchange between roles.
[[nodiscard]] Traffic traffic(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank);

} // namespace planrt
