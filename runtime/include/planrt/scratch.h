// The number of scratch elements into which a collective packs. The compiler, which lays out the arena, and the
// runtime, which uses it, share this rule. Plain C++, no MPI.
//
// Example: an all-gather of [batch: 5, hidden: 8] from hidden over cols to replicated packs the whole result, 40
// elements; from batch over rows it packs nothing.
#pragma once

#include <planrt/layout.h>
#include <planrt/steps.h>

#include <cstdint>
#include <span>

namespace planrt {

/// Whether the elements of `part` are contiguous in `whole`, row-major.
[[nodiscard]] bool is_one_run(const Box &part, const Box &whole);

/// The scratch elements that `rank` needs for one member of a collective, which is exactly what the runtime uses.
/// all_reduce: the member's elements in a fused call, where the needs of the members add up; none for a single member.
/// reduce_scatter: the input; all_gather: the output; none if the blocks are contiguous there (a cut of the outermost
/// dimension). all_to_all: what is sent and what is received; exchange: the same, without what is contiguous in its
/// buffer and is not added to what is there. slice, and flat steps (layout.h) other than fused all-reduces: none.
[[nodiscard]] std::int64_t scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                            const Mesh &mesh, int rank);

/// The scratch elements that `rank` needs for a whole collective by messages: the vector if it does not lie in the
/// result (a fused all_reduce, every reduce_scatter, an all_gather that is packed), followed by the elements that a
/// round receives to combine.
[[nodiscard]] std::int64_t scratch_elements(CollectiveKind kind, const Method &method, std::span<const int> axes,
                                            std::span<const MovedTensor> tensors, const Mesh &mesh, int rank);

/// The maximum over all ranks.
[[nodiscard]] std::int64_t largest_scratch_elements(CollectiveKind kind, const Method &method,
                                                    std::span<const int> axes, std::span<const MovedTensor> tensors,
                                                    const Mesh &mesh);

/// The maximum over all ranks: the arena, which is equal on all ranks, reserves this.
[[nodiscard]] std::int64_t largest_scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                                    const Mesh &mesh);

/// The scratch elements that `rank` needs for an exchange between roles.
[[nodiscard]] std::int64_t scratch_elements(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh,
                                            int rank);

} // namespace planrt
