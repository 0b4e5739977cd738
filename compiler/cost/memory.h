// Memory of one rank (the one with the largest blocks) in a training step.
//
// What lives through the step is a sum over values; what lives for a while is counted where most of it lives at once.
// Example: batch parallel, SGD with momentum: parameters + gradients + optimizer state are three times the weights.
#pragma once

#include "cost/machine.h"
#include "sharding/bucket.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// Why a value is in memory.
enum class Residence : std::uint8_t {
    parameter,
    optimizer_state,
    gradient,   ///< of a parameter: from its production to the update
    activation, ///< of the forward pass, read by the backward pass
    input,      ///< data fields, constants
    in_place,   ///< written by an update into a variable, or gone within its loop
    summed,     ///< a product that the sum over micro-batches takes in as it is made; passing where it moves first
    passing     ///< everything else: gone after its last use
};
[[nodiscard]] std::vector<Residence> residences(const sharding::Graph &graph);

/// The operations between which a value is in memory, both included. Everything but passing values is there from
/// before the first (-1) to the end.
struct Life {
    int first = 0;
    int last = 0;
};
[[nodiscard]] std::vector<Life> lives(const sharding::Graph &graph);

/// What of a copy decides how long it is in memory.
struct CopyMemory {
    double bytes = 0;
    int source = -1;          ///< index of the copy that it is made from
    bool in_shares = false;   ///< it is stored so
    bool all_reduced = false; ///< in the place of its source
    bool scattered = false;   ///< its first step is a reduce-scatter
};
[[nodiscard]] CopyMemory copy_memory(const sharding::Value &value, const sharding::Copy &copy,
                                     const sharding::Mesh &mesh);

/// Bytes of the copies of value `v` that are there as long as lives() says; an all-reduce works in place. Not those
/// that are gathered from shares, nor a gradient that is reduce-scattered at once. A sum over micro-batches lies where
/// it is added up, all the time.
[[nodiscard]] Bytes copies_bytes(const sharding::Graph &graph, int v, Residence residence,
                                 std::span<const CopyMemory> copies);

struct Memory {
    Bytes parameters{};
    Bytes optimizer_state{};
    Bytes gradients{};
    Bytes activations{};
    Bytes inputs{};
    Bytes buffers{}; ///< of buckets, in and out, and the packing of the largest other collective (planrt/scratch.h)
    Bytes passing{}; ///< most at any time of what does not live through the step, parameters gathered from shares too
    int peak = -1;   ///< operation at which that is

    /// What is a sum over values: parameters, optimizer state, gradients, activations, inputs.
    [[nodiscard]] Bytes kept() const { return parameters + optimizer_state + gradients + activations + inputs; }
    [[nodiscard]] Bytes total() const { return kept() + buffers + passing; }
};

/// `residences`, `lives`: of the graph's values, as above.
[[nodiscard]] Memory memory(const sharding::Graph &graph, const std::vector<Residence> &residences,
                            const std::vector<Life> &lives, const sharding::LaidOut &laid_out,
                            const sharding::Mesh &mesh, const std::vector<sharding::Bucket> &buckets);

} // namespace planc::cost
