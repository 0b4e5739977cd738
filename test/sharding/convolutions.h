// Convolutions as nests and in graphs: forward, gradient of the input, gradient of the weights.
#pragma once

#include "sharding/graphs.h"

#include <string>
#include <vector>

namespace planc::sharding::graphs {

/// One spatial dimension.
struct Spatial {
    std::string role = "height";
    std::int64_t extent = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0; ///< padding
    std::int64_t behind = 0;
    [[nodiscard]] std::int64_t positions() const {
        return (extent + before + behind - (kernel - 1) * dilation - 1) / stride + 1;
    }
};

struct Convolution {
    std::int64_t batch = 1;
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::vector<Spatial> spatial;
};

enum class ConvolutionKind { forward, input_gradient, weight_gradient };

/// x is [batch, spatial..., in], w [kernels..., in, out], y [batch, positions..., out]. Operands: x and w; y's gradient
/// and w; x and y's gradient. Loops are named by roles, kernels "height kernel".
[[nodiscard]] Nest convolution_nest(const Convolution &convolution, ConvolutionKind kind);

/// Adds the operation to the graph, with its result.
ValueId add_convolution(Builder &builder, LayerId layer, const Convolution &convolution, ConvolutionKind kind,
                        ValueId first, ValueId second);

/// Forward, both gradients and the update of a chain of convolutions, each with a square between; every layer's batch
/// and channels fit the next one's. The output is the sum of the last square.
[[nodiscard]] Graph convolutional_step(const std::vector<Convolution> &chain);

} // namespace planc::sharding::graphs
