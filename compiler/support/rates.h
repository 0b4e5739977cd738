// Measured rates of a machine: of kernels by shape, of collectives by size and group. `planc calibrate` writes them, a
// .plan file declares them (M6), and the cost model reads them.
#pragma once

#include "support/units.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::support {

/// The time of a matrix product by its half-performance lengths (Hockney and Jesshope 1981), one for each dimension:
///   t = call + 2 (m + half[0]) (n + half[1]) (k + half[2]) / flops_per_second
/// The time to read its operands from memory or cache is added. m counts rows (of a convolution: positions), n columns
/// (output channels; rounded up to whole vectors, see KernelRates::wide_vectors), k the terms of each sum.
struct ProductRate {
    double flops_per_second = 1;
    std::array<double, 3> half{};
    Seconds call{};
};

/// Convolutions by Winograd's algorithm, apart from their matrix products: the bandwidths of the transforms of x and y,
/// and of the weights.
struct WinogradRate {
    double bytes_per_second = 1; ///< of x and y
    double weight_bytes_per_second = 1;
    Seconds call{};
};

/// Loops: t = call + max(flops / flops_per_second, bytes / bandwidth). If the tensors of a loop do not all have the
/// same dimensions (a bias is added to every position), each row ends in elements that do not fill a vector. Each of
/// these takes `rest` more, or `summed_rest` where rows are added to sums.
struct LoopRate {
    double flops_per_second = 1;
    Seconds call{};
    Seconds rest{};
    Seconds summed_rest{};
};

/// Pools, vectorised along channels. The time to read and write memory or cache is added:
///   t = call + taps positions (channels + half) / flops_per_second
struct PoolRate {
    double flops_per_second = 1;
    double half = 0;
    Seconds call{};
};

/// A cache: a faster memory for the data that fits into it.
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
    std::optional<PoolRate> pool_gradient;       ///< for windows that overlap or leave gaps
    std::optional<PoolRate> tiled_pool_gradient; ///< for windows that do neither
    std::optional<LoopRate> loops;               ///< pointwise operations and sums
    std::optional<CacheRate> cache;
    /// The time of two planrt::reference_products. A program compares its own time with it to know the processor's
    /// clock. 0: not measured.
    Seconds reference{};
    bool wide_vectors = true; ///< AVX-512 is available; some kernels are chosen by it
};

/// An all-reduce (of a vector of n bytes), reduce-scatter, all-gather, all-to-all or exchange of a group:
///   t = latency + n / bytes_per_second   from above_bytes to the next rate of its kind and group
/// During the part `processor` of t, the ranks' own processors work and cannot compute anything else.
struct CollectiveRate {
    std::string collective; ///< "allreduce", …
    std::int64_t ranks = 2;
    double above_bytes = 0;
    Seconds latency{};
    double bytes_per_second = 1;
    double processor = 0; ///< 0 to 1
};

} // namespace planc::support
