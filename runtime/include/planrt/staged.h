// Staged gathers: what arrives is used piece by piece. A product multiplies each piece as soon as it has arrived; then
// its memory is free (SUMMA, van de Geijn and Watts 1997). So a rank never has more than two pieces beside its own
// block: it computes with one while the next arrives. The compiler, which reserves the memory, and the runtime share
// this description. Plain C++, no MPI.
//
// The pieces lie along one dimension, one for each member of a group: the own block first, then those of the members
// before, one further each round. In an all-gather they travel around the group: a rank passes on what it received in
// the round before. In an exchange, for needed rows, each but the own block comes from its owner, and has only what
// this rank needs.
//
// Example: three ranks gather 6 rows, two of each. Rank 0 multiplies rows [0, 2) while rows [4, 6) arrive from rank 2,
// then these while rows [2, 4) arrive, which rank 2 has received from rank 1.
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace planrt {

struct StagedGather {
    struct Round {
        int to = 0;   ///< rank
        Box sent;     ///< global indices; of volume 0: nothing is sent
        int from = 0; ///< rank
        Box received;
    };
    std::size_t dimension = 0; ///< along which the pieces lie
    bool passes_on = false;    ///< in each round but the first, what was received in the round before is sent
    Box own;                   ///< the rank's block of the operand: the first piece
    std::vector<Round> rounds; ///< round k brings piece k + 1
};

/// The steps of `rank`; nothing if the pieces of a rank are not whole along all other dimensions, if there is but one,
/// or if the rank does not need its own block. `axes`: of the collective, an all_gather or an exchange.
[[nodiscard]] std::optional<StagedGather> staged_gather(CollectiveKind kind, std::span<const int> axes,
                                                        const Placement &from, const Placement &to, const Mesh &mesh,
                                                        int rank);

/// The most that any rank needs, in elements.
struct StagedMemory {
    std::int64_t piece = 0;   ///< of those that are received
    std::int64_t pieces = 0;  ///< that are there at the same time: one, or two
    std::int64_t scratch = 0; ///< to pack what is sent in one round
};
/// Nothing if the gather of a rank cannot be staged.
[[nodiscard]] std::optional<StagedMemory> staged_memory(CollectiveKind kind, std::span<const int> axes,
                                                        const Placement &from, const Placement &to, const Mesh &mesh);

} // namespace planrt
