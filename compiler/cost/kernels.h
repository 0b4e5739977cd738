// The time of the kernels that run on a machine of which rates were measured (support/rates.h, M6): which kernel an
// operation runs, and with what shape, is what the lowering and the runtime choose by the same functions
// (planrt/convolution_method.h).
//
// Example: a forward convolution of 16 images of 32 x 32, 64 channels to 64, 3 x 3 is Winograd's: for 4096 tiles 16
// products of (tiles, 64, 64), the transforms of 16,384 positions of 64 + 64 channels, those of 4096 filters.
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <planrt/convolution_method.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace planc::cost {

/// `count` products of (m, n, k), one after the other.
struct ProductShape {
    double count = 1;
    double m = 1;
    double n = 1;
    double k = 1;
};
/// Of a product of two operands without windows, with these extents of its loops.
[[nodiscard]] ProductShape product_shape(const sharding::Nest &nest, const std::vector<std::int64_t> &extents);

/// A convolution or gradient of one, as the first rank's kernel gets it.
struct ConvolutionShape {
    planrt::ConvolutionKind kind = planrt::ConvolutionKind::forward;
    planrt::Convolution conv;
};
/// None where the nest is no convolution that there is a kernel for.
[[nodiscard]] std::optional<ConvolutionShape> convolution_shape(const sharding::Nest &nest,
                                                                const std::vector<std::int64_t> &extents);

/// With what f32 operands take from memory or cache.
[[nodiscard]] Seconds product_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                      const Machine &machine);
/// Of oneDNN's convolutions: the rate says all.
[[nodiscard]] Seconds direct_seconds(const support::ProductRate &rate, const ProductShape &shape,
                                     const Machine &machine);
/// With the copies of its weights into and out of the kernel's format. None where the machine lacks a rate for it.
[[nodiscard]] std::optional<Seconds> convolution_seconds(const ConvolutionShape &shape, int element_bytes,
                                                         const Machine &machine);
/// Do all of a machine's convolutions have the copies of their weights within?
[[nodiscard]] bool price_weight_formats(const support::KernelRates &rates);
/// Of Winograd's transforms: x and y, weights.
struct TransformBytes {
    double activations = 0;
    double weights = 0;
};
[[nodiscard]] TransformBytes transform_bytes(const planrt::Convolution &conv);
/// The matrix products of a convolution by Winograd's algorithm.
[[nodiscard]] ProductShape winograd_products(const ConvolutionShape &shape);
/// For each element of the window products of the positions that touch the input.
[[nodiscard]] ProductShape tap_products(const ConvolutionShape &shape);
/// What oneDNN's primitive computes, as one product a group.
[[nodiscard]] ProductShape direct_products(const ConvolutionShape &shape);

/// Bytes that go through memory, of which `working_set` bytes are used again and again: what fits into the cache comes
/// from there.
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
