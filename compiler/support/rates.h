// What was measured of a machine: rates of kernels by shape, of collectives by size and group. Data, as a .plan file
// declares it (M6), `planc calibrate` writes it and the cost model reads it.
#pragma once

#include "support/units.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::support {

/// Time of a matrix product by its half-performance lengths (Hockney and Jesshope 1981), one a dimension, besides what
/// its operands take from memory or cache:
///   t = call + 2 (m + half[0]) (n + half[1]) (k + half[2]) / flops_per_second
/// where m counts the rows (of a convolution: positions), n the columns (output channels), which fill whole vectors
/// (KernelRates::wide_vectors), k what is summed over.
struct ProductRate {
    double flops_per_second = 1;
    std::array<double, 3> half{};
    Seconds call{};
};

/// Convolutions by Winograd's algorithm, beside their matrix products: what transforms of x and y read and write, and
/// those of the weights.
struct WinogradRate {
    double bytes_per_second = 1; ///< of x and y
    double weight_bytes_per_second = 1;
    Seconds call{};
};

/// Loops: t = call + max(flops / flops_per_second, bytes / bandwidth). Rows of loops whose tensors have not all the
/// same dimensions (a bias is added to every position) end in elements that fill no vector: each takes `rest` more,
/// `summed_rest` where rows are added to sums.
struct LoopRate {
    double flops_per_second = 1;
    Seconds call{};
    Seconds rest{};
    Seconds summed_rest{};
};

/// Pools, vectorised along channels, besides what they take from memory or cache:
///   t = call + taps positions (channels + half) / flops_per_second
struct PoolRate {
    double flops_per_second = 1;
    double half = 0;
    Seconds call{};
};

/// A faster memory for what fits in it.
struct CacheRate {
    double bytes = 0;
    double bytes_per_second = 1;
};

struct KernelRates {
    std::optional<ProductRate> product;
    std::optional<ProductRate> convolution;     ///< oneDNN's, forward and input gradient
    std::optional<ProductRate> weight_gradient; ///< oneDNN's, of a convolution
    std::optional<WinogradRate> winograd;
    std::optional<PoolRate> pool;
    std::optional<PoolRate> pool_gradient;       ///< of windows that overlap or leave gaps
    std::optional<PoolRate> tiled_pool_gradient; ///< of windows side by side
    std::optional<LoopRate> loops;               ///< pointwise operations and sums
    std::optional<CacheRate> cache;
    /// What two of planrt::reference_product took: by it a program knows the processor's speed again. 0: not measured.
    Seconds reference{};
    bool wide_vectors = true; ///< AVX-512: by it some kernels are chosen
};

/// An all-reduce (whose vector has n bytes), reduce-scatter, all-gather, all-to-all or exchange of a group:
///   t = latency + n / bytes_per_second   from above_bytes to the next of its kind and group
/// Of t the ranks' processors work `processor` of it themselves: they cannot compute beside that.
struct CollectiveRate {
    std::string collective; ///< "allreduce", …
    std::int64_t ranks = 2;
    double above_bytes = 0;
    Seconds latency{};
    double bytes_per_second = 1;
    double processor = 0; ///< 0 to 1
};

} // namespace planc::support
