// The time of convolutions on a machine of which rates were measured: which kernel computes one, and with what shape,
// is what the lowering and the runtime choose by the same functions (planrt/convolution_method.h).
//
// Example: a forward convolution of 16 images of 32 x 32, 64 channels to 64, 3 x 3 is Winograd's: for 4096 tiles 16
// products of (tiles, 64, 64), the transforms of 16,384 positions of 64 + 64 channels, those of 4096 filters.
#pragma once

#include "cost/kernels/kernels.h"

#include <planrt/convolution_method.h>

#include <optional>
#include <vector>

namespace planc::cost {

/// A convolution or gradient of one, as the first rank's kernel gets it.
struct ConvolutionShape {
    planrt::ConvolutionKind kind = planrt::ConvolutionKind::forward;
    planrt::Convolution conv;
};
/// None where the nest is no convolution that there is a kernel for.
[[nodiscard]] std::optional<ConvolutionShape> convolution_shape(const sharding::Nest &nest,
                                                                const std::vector<std::int64_t> &extents);

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

} // namespace planc::cost
