// The time of kernels on a machine with measured rates (support/rates.h, M6). The same functions choose kernel and
// shape here, in the lowering and in the runtime (planrt/convolution_method.h).
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// Whether `loop` is among these loops of a tensor.
[[nodiscard]] bool has(const std::vector<int> &loops, int loop);

/// `count` products of (m, n, k), one after another.
struct ProductShape {
    double count = 1;
    double m = 1;
    double n = 1;
    double k = 1;
};
/// The shape of a product of two operands without windows, for these extents of its loops.
[[nodiscard]] ProductShape product_shape(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);

/// Includes the time to read f32 operands from memory or cache; the products of a batch pass through the cache
/// together.
[[nodiscard]] Seconds product_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                      const Machine &machine, double together = 1);
/// For oneDNN's convolutions, whose rate includes memory.
[[nodiscard]] Seconds direct_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                     const Machine &machine);
/// The time to move bytes whose last use is `working_set` bytes ago (cost/kernels/reuse_distances.h; for data in
/// constant use, its whole size). The part that fits into the cache comes from there. 0: everything comes from memory.
[[nodiscard]] Seconds transfer_seconds(Bytes moved, Bytes working_set, const Machine &machine);
/// The number of pairs of a position and an element of its window. A gradient, whose operands each have a window,
/// counts one of them.
[[nodiscard]] double pool_operations(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// `operations`: the number of these pairs; `transfer`: the time of what is read and written.
[[nodiscard]] Seconds pool_seconds(const support::PoolRate &rate, double operations, double channels, Seconds transfer);
/// The rate of the kernel that runs a pool or its gradient. Null if it was not measured.
[[nodiscard]] const support::PoolRate *pool_rate(const sharding::Nest &nest, const support::KernelRates &rates);
/// The number of contiguous elements after the dimensions over which a pool's windows move.
[[nodiscard]] double pooled_channels(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// Rows: contiguous iterations of a pointwise operation or reduction along which all of its tensors are indexed alike.
/// A bias added to (batch, position, channel) has batch * position rows with one element per channel.
struct Rows {
    double count = 0; ///< 0: everything is one run
    std::int64_t elements = 1;
    bool summed = false; ///< each row is added to sums, element by element
};
[[nodiscard]] Rows rows_of(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);
/// Whether the whole nest has rows that are not summed. Of several fused loops, only the first that has rows pays for
/// them.
[[nodiscard]] bool has_rows(const sharding::Nest &nest);
[[nodiscard]] Seconds rows_seconds(const support::LoopRate &rate, const Rows &rows);
[[nodiscard]] Seconds loop_seconds(const support::LoopRate &rate, Flops flops, Seconds transfer);

} // namespace planc::cost
