// How many scratch elements a collective packs into: one rule for the compiler, which lays out the arena, and the
// runtime, which uses it. Plain C++, no MPI.
//
// Example: all-gather of [batch: 5, hidden: 8] from hidden over cols to replicated packs the whole result, 40 elements;
// from batch over rows nothing.
#pragma once

#include <planrt/layout.h>
#include <planrt/steps.h>

#include <cstdint>
#include <span>

namespace planrt {

/// Elements of scratch that `rank` needs for one member of a collective: exactly what the runtime then uses.
/// all_reduce: its elements in a fused call, where the needs of the members add up; none for a single member.
/// reduce_scatter: the input, all_gather: the output, unless the blocks follow one another there (a cut of the
/// outermost dimension). all_to_all: what is sent and what is received; exchange: the same, of what is not one run of
/// its buffer. slice, and whatever is flat (layout.h) besides fused all-reduces: none.
[[nodiscard]] std::int64_t scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                            const Mesh &mesh, int rank);

/// Elements of scratch that `rank` needs for a whole collective by messages: the vector where it does not lie in the
/// result (a fused all_reduce, every reduce_scatter, an all_gather that is packed), and behind it what a round receives
/// to combine.
[[nodiscard]] std::int64_t scratch_elements(CollectiveKind kind, const Method &method, std::span<const int> axes,
                                            std::span<const MovedTensor> tensors, const Mesh &mesh, int rank);

/// The largest of any rank.
[[nodiscard]] std::int64_t largest_scratch_elements(CollectiveKind kind, const Method &method,
                                                    std::span<const int> axes, std::span<const MovedTensor> tensors,
                                                    const Mesh &mesh);

/// The largest of any rank: what the arena, equal on all ranks, reserves.
[[nodiscard]] std::int64_t largest_scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                                    const Mesh &mesh);

/// Of an exchange between roles.
[[nodiscard]] std::int64_t scratch_elements(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh,
                                            int rank);

} // namespace planrt
