// What a training step may do to need less memory, at the price of time: accumulate its gradients over micro-batches,
// and compute activations again in the backward pass. And what it may do to move less, at the price of messages: choose
// for each nonzero of a sparse matrix whether a row of its operand or a partial row of its result is moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planc::planning {

struct MemorySavings {
    std::int64_t microbatches = 1;
    std::vector<std::string> recompute; ///< selectors of layers; "" for all
    /// Products with sparse matrices move minimal covers between so many parts of their rows and columns
    /// (planrt/sparse_traffic.h); 0: rows of their operands, or partial rows of their results.
    std::int64_t cover = 0;

    bool operator==(const MemorySavings &) const = default;
};

/// For reports: "gradients summed over 4 micro-batches", "activations of block* computed again", "sparse
/// products move minimal covers of 8 parts".
[[nodiscard]] std::vector<std::string> words(const MemorySavings &savings);

/// What a search may try beyond `pinned`, the savings that the layout asks for, in this order: 2, 4, 8, …
/// micro-batches, which cost little time; then recomputation in all blocks, which costs up to a third, with 1, 2, 4, 8,
/// … of them. `batch` is the number of samples.
[[nodiscard]] std::vector<MemorySavings> further_savings(const MemorySavings &pinned, std::int64_t batch);

} // namespace planc::planning
