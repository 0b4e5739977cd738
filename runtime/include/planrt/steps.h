// The steps of a collective by messages: in each round, which elements a member of the group sends to whom, and what it
// does with the elements that it receives. The compiler, which prices and predicts, and the runtime, which executes,
// use the same function. Plain C++, no MPI; used when a program is set up, never inside a step.
//
// All members number their rounds alike: round k of one member receives what round k of another sends. A member may
// have nothing to do in a round. A round is done when its messages are sent and received; then the next one begins.
//
// Example: 3 members reduce 6 elements by ring. Member 0 in its first round:
//   steps(CollectiveKind::all_reduce, {Algorithm::ring, {3}}, 0, all_reduce_blocks(6, {3}))[0]
//   == {.to = 2, .sent = {[2,4)}, .from = 1, .received = {[4,6)}, .combines = true}
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

/// How a collective runs. P members, n elements, lg rounds up:
///
///   all_reduce      ring                2(P-1) rounds, 2(P-1)/P n sent by each
///                   rabenseifner        2 lg P, 2(P-1)/P n: halving, then doubling, with any P
///                   recursive_doubling  lg P, lg P n; P no power of two: floor(lg P) + 2 rounds of n
///                   mst                 2 lg P rounds of n: a tree to the first member and back
///                   hierarchical        ring within the inner dimensions of the shape, rabenseifner between, ring
///   reduce_scatter  ring                P-1, (P-1)/P n
///                   recursive_halving   lg P, (P-1)/P n
///   all_gather      ring                P-1, (P-1)/P n
///                   recursive_doubling  lg P, (P-1)/P n
///
/// Halving and doubling exchange with the member whose number differs in one bit; where P is not a power of two, blocks
/// travel around the group as in Bruck's all-gather (Bruck et al. 1997), and back for its reversal, the reduce-scatter.
enum class Algorithm : std::uint8_t {
    mpi, ///< MPI's own call: no steps
    ring,
    rabenseifner,
    recursive_doubling,
    recursive_halving,
    mst,
    hierarchical
};

inline constexpr Algorithm algorithms[] = {
    Algorithm::mpi,
    Algorithm::ring,
    Algorithm::rabenseifner,
    Algorithm::recursive_doubling,
    Algorithm::recursive_halving,
    Algorithm::mst,
    Algorithm::hierarchical,
};
[[nodiscard]] const char *name_of(Algorithm algorithm); ///< "recursive_doubling"

/// The algorithm, and the group's members as a grid, major first. Ring, mst and hierarchical run along its dimensions
/// in turn; for the other algorithms it has one dimension. Example: {hierarchical, {4, 8}}, 4 nodes of 8 ranks.
struct Method {
    Algorithm algorithm = Algorithm::mpi;
    std::vector<int> shape = {};
    friend bool operator==(const Method &, const Method &) = default;
};

/// Ranges of positions in the vector: ascending, not empty, not adjacent.
using Positions = std::vector<Range>;
[[nodiscard]] std::int64_t elements(const Positions &positions);

struct MessageRound {
    int to = -1; ///< the member that receives the elements at `sent`; -1: nothing is sent
    Positions sent = {};
    int from = -1; ///< the member whose elements arrive at `received`; -1: none
    Positions received = {};
    /// Received elements are combined with the present ones (the lower member's on the left); otherwise they replace
    /// them.
    bool combines = false;
    friend bool operator==(const MessageRound &, const MessageRound &) = default;
};

/// The blocks of a vector of `count` elements for an all-reduce: balanced, and such that what travels along a dimension
/// of the shape is contiguous.
[[nodiscard]] std::vector<Range> all_reduce_blocks(std::int64_t count, std::span<const int> shape);

/// What `member` does. `blocks`: one block for each member of the group (the product of the shape); disjoint, in any
/// order, of any size, possibly empty; together they are the vector. In an all_gather, the member's own block is in
/// place at the beginning, and all blocks at the end. In a reduce_scatter, only the own block is valid at the end; the
/// rest is partial. Other kinds, and Algorithm::mpi, have no steps. All members combine every element in the same
/// order, so results are equal bit by bit.
[[nodiscard]] std::vector<MessageRound> steps(CollectiveKind kind, const Method &method, int member,
                                              std::span<const Range> blocks);

/// The maximum number of elements that one round receives to combine; they wait outside the vector.
[[nodiscard]] std::int64_t largest_combined(std::span<const MessageRound> rounds);

/// What a member sends in all of its rounds.
struct Sent {
    std::int64_t messages = 0;
    std::int64_t elements = 0;
    friend bool operator==(const Sent &, const Sent &) = default;
};
[[nodiscard]] Sent sent(std::span<const MessageRound> rounds);

// ---------------------------------------------------------------------------------------------------------------
// Collectives of a program
// ---------------------------------------------------------------------------------------------------------------

/// A member of a collective: one tensor before and after. Only an all_reduce has several.
struct MovedTensor {
    Placement from;
    Placement to;
};

/// A collective by messages, as one rank runs it. The vector of an all_reduce is the rank's parts of its tensors, one
/// after another; that of a reduce_scatter or all_gather the blocks of the group's ranks, in the order of block_axes().
struct Procedure {
    std::vector<int> ranks; ///< of the group, by member: ascending
    std::int64_t vector = 0;
    Range own = {}; ///< the rank's block of it
    std::vector<MessageRound> rounds;
};

/// `axes` of the group. `method` is not MPI's own.
[[nodiscard]] Procedure procedure(CollectiveKind kind, const Method &method, std::span<const int> axes,
                                  std::span<const MovedTensor> tensors, const Mesh &mesh, int rank);

} // namespace planrt
