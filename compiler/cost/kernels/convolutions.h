// The time of convolutions on a machine with measured rates. The same functions choose kernel and shape here, in the
// lowering and in the runtime (planrt/convolution_method.h).
//
// Example: a forward convolution of 16 images of 32 x 32, 64 channels to 64, 3 x 3 uses Winograd's algorithm: for 4096
// tiles 16 products of (tiles, 64, 64), the transforms of 16,384 positions of 64 + 64 channels, those of 4096 filters.
#pragma once

#include "cost/kernels/kernels.h"

#include <planrt/convolution_method.h>

#include <optional>
#include <vector>

namespace planc::cost {

/// A convolution or one of its gradients, as the kernel on the first rank receives it.
struct ConvolutionShape {
    planrt::ConvolutionKind kind = planrt::ConvolutionKind::forward;
    planrt::Convolution conv;
};
/// None if the nest is not a convolution for which a kernel exists.
[[nodiscard]] std::optional<ConvolutionShape> convolution_shape(const sharding::Nest &nest,
                                                                const std::vector<std::int64_t> &extents);

/// Includes the copies of its weights into and out of the kernel's format. None if the machine lacks a rate for it.
[[nodiscard]] std::optional<Seconds> convolution_seconds(const ConvolutionShape &shape, int element_bytes,
                                                         const Machine &machine);
/// Whether the measured times of all convolutions include the copies of their weights.
[[nodiscard]] bool price_weight_formats(const support::KernelRates &rates);
/// The bytes of Winograd's transforms: of x and y, and of weights.
struct TransformBytes {
    double activations = 0;
    double weights = 0;
};
[[nodiscard]] TransformBytes transform_bytes(const planrt::Convolution &conv);
/// The matrix products of a convolution by Winograd's algorithm.
[[nodiscard]] ProductShape winograd_products(const ConvolutionShape &shape);
/// The products by taps: one for each element of the window, over the positions that touch the input.
[[nodiscard]] ProductShape tap_products(const ConvolutionShape &shape);
/// The computation of oneDNN's primitive, as one product per group.
[[nodiscard]] ProductShape direct_products(const ConvolutionShape &shape);

} // namespace planc::cost
