// The memory of one rank (the one with the largest blocks) in a training step.
//
// Values that live through the whole step are summed. Of values that live for a while, the maximum at any time counts.
// Example: with batch parallelism and SGD with momentum, parameters + gradients + optimizer state are three times the
// weights.
#pragma once

#include "cost/machine.h"
#include "sharding/bucket.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// The reason why a value is in memory.
enum class Residence : std::uint8_t {
    parameter,
    optimizer_state,
    gradient,   ///< of a parameter: from its production to the update
    activation, ///< of the forward pass, read by the backward pass
    input,      ///< data fields, constants; blocks of sparse matrices count with them
    in_place,   ///< written by an update into a variable, or internal to a loop
    summed,     ///< a product that is accumulated over micro-batches while it is made; `passing` if it is first moved
    passing     ///< everything else: its memory is reused after its last use
};
[[nodiscard]] sharding::PerValue<Residence> residences(const sharding::Graph &graph);

/// The operations between which a value is in memory, both included. All but `passing` values live from before the
/// first (none) to the end of the program.
struct Life {
    sharding::OperationId first;
    sharding::OperationId last;
};
[[nodiscard]] sharding::PerValue<Life> lives(const sharding::Graph &graph);

/// The properties of a copy that determine how long it is in memory.
struct CopyMemory {
    double bytes = 0;
    int source = -1;          ///< index of the copy that it is made from
    bool in_shares = false;   ///< it is sharded
    bool all_reduced = false; ///< it is made in place of its source
    bool scattered = false;   ///< its first step is a reduce-scatter
};
[[nodiscard]] CopyMemory copy_memory(const sharding::Value &value, const sharding::Copy &copy,
                                     const sharding::Mesh &mesh);

/// Bytes of those copies of value `v` that live as long as lives() says; an all-reduce works in place. Not counted are
/// copies that are gathered from shards, and a gradient that is reduce-scattered at once. A sum over micro-batches is
/// always in memory where it is accumulated. All but this sum is in memory once for each micro-batch in flight (slots
/// of the step program); of what passes only integers lie in slots, and these are counted once.
[[nodiscard]] Bytes copies_bytes(const sharding::Graph &graph, sharding::ValueId v, Residence residence,
                                 std::span<const CopyMemory> copies);

struct Memory {
    Bytes parameters{};
    Bytes optimizer_state{};
    Bytes gradients{};
    Bytes activations{};
    Bytes inputs{};
    Bytes buffers{}; ///< buckets, in and out, and the packing of the largest other collective (planrt/scratch.h)
    Bytes passing{}; ///< the maximum at any time of values that do not live through the step, gathered parameters
                     ///< included
    sharding::OperationId peak; ///< the operation at which that maximum occurs

    /// The part that is a sum over values: parameters, optimizer state, gradients, activations, inputs.
    [[nodiscard]] Bytes kept() const { return parameters + optimizer_state + gradients + activations + inputs; }
    [[nodiscard]] Bytes total() const { return kept() + buffers + passing; }
};

struct GraphFacts;
/// `facts`: of the graph (cost/price.h); `joint_sums`: of the layout.
[[nodiscard]] Memory memory(const sharding::Graph &graph, const GraphFacts &facts, const sharding::LaidOut &laid_out,
                            const sharding::Mesh &mesh, const std::vector<sharding::Bucket> &buckets,
                            const std::vector<sharding::Bucket> &joint_sums);

} // namespace planc::cost
