// The time of the kernels that run on a machine of which rates were measured (support/rates.h, M6): which kernel an
// operation runs, and with what shape, is what the lowering and the runtime choose by the same functions
// (planrt/convolution_method.h).
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// Whether these loops index a tensor by this one, too.
[[nodiscard]] bool has(const std::vector<int> &loops, int loop);

/// `count` products of (m, n, k), one after the other.
struct ProductShape {
    double count = 1;
    double m = 1;
    double n = 1;
    double k = 1;
};
/// Of a product of two operands without windows, with these extents of its loops.
[[nodiscard]] ProductShape product_shape(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);

/// With what f32 operands take from memory or cache, which so many of the products pass through together.
[[nodiscard]] Seconds product_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                      const Machine &machine, double together = 1);
/// Of oneDNN's convolutions: the rate says all.
[[nodiscard]] Seconds direct_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                     const Machine &machine);
/// Bytes of which the last use is `working_set` bytes ago (cost/kernels/fusion.h; of what is used again and again, all
/// of it): what fits into the cache comes from there. 0: all from memory.
[[nodiscard]] Seconds transfer_seconds(Bytes moved, Bytes working_set, const Machine &machine);
/// Pairs of a position and an element of its window: a gradient, whose operands have a window each, counts one of them.
[[nodiscard]] double pool_operations(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// `operations`: one for each of these pairs; `transfer` of what is read and written.
[[nodiscard]] Seconds pool_seconds(const support::PoolRate &rate, double operations, double channels, Seconds transfer);
/// Of the kernel that runs a pool or its gradient. None where it was not measured.
[[nodiscard]] const support::PoolRate *pool_rate(const sharding::Nest &nest, const support::KernelRates &rates);
/// What lies next to each other behind the dimensions that a pool's windows move over.
[[nodiscard]] double pooled_channels(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// Runs of a pointwise operation's or reduction's iterations along which all of its tensors are indexed alike: a bias
/// added to (batch, position, channel) has batch * position rows of as many elements as there are channels.
struct Rows {
    double count = 0; ///< 0: everything is one run
    std::int64_t elements = 1;
    bool summed = false; ///< each is added to sums, one for each of its elements
};
[[nodiscard]] Rows rows_of(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// Not summed ones of the whole nest: of loops that run as one only the first that has some pays for them.
[[nodiscard]] bool has_rows(const sharding::Nest &nest);
[[nodiscard]] Seconds rows_seconds(const support::LoopRate &rate, const Rows &rows);
[[nodiscard]] Seconds loop_seconds(const support::LoopRate &rate, Flops flops, Seconds transfer);

} // namespace planc::cost
