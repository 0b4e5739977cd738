// How many scratch elements a collective packs into: one rule for the compiler, which lays out the arena, and the
// runtime, which uses it. Plain C++, no MPI.
//
// Example: all-gather of [batch: 5, hidden: 8] from hidden over cols to replicated packs the whole result, 40 elements.
#pragma once

#include <planrt/layout.h>

#include <cstdint>

namespace planrt {

/// Elements of scratch that `rank` needs for one member of a collective. all_reduce: twice its elements, what goes in
/// and what comes out (Open MPI's in-place all-reduce takes two to three times as long; a call of one member needs
/// scratch only if it is in place and should be fast); reduce_scatter: the input; all_gather: the output; all_to_all
/// and exchange: what is sent and what is received; slice and the flat ones of layout.h but all_reduce: none. In a fused call the members' needs add up.
[[nodiscard]] std::int64_t scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                            const Mesh &mesh, int rank);

/// The largest of any rank: what the arena, equal on all ranks, reserves.
[[nodiscard]] std::int64_t largest_scratch_elements(CollectiveKind kind, const Placement &from, const Placement &to,
                                                    const Mesh &mesh);

} // namespace planrt
