// The matrix products of a network as the literature's cost models count them. They are read off the loop nests of the
// forward contractions.
//
// Example: conv2 of AlexNet, 5 x 5 on 96 channels in two groups: 307,200 weights, (m, n, k) = (128, B 27 27, 48 5 5) in
// two products, a window of 5 along height.
#pragma once

#include "sharding/lay_out.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::cost {

/// The role of a loop in a product of inputs and weights.
enum class ProductLoop : std::uint8_t {
    samples, ///< of inputs and outputs: the batch, positions of a sequence
    window,  ///< the same, for positions of a window that moves over the inputs
    outputs, ///< of weights and outputs: m
    inputs,  ///< summed over: k
    group    ///< of all three: one product for each group
};

struct ProductWindow {
    int loop = 0;               ///< of the nest: the positions
    std::int64_t kernel = 1;    ///< k
    std::int64_t extent = 1;    ///< X along it
    std::int64_t positions = 1; ///< Y along it
};

struct Product {
    sharding::OperationId operation; ///< of the forward pass
    sharding::LayerId layer;
    double weights = 0; ///< |W|: elements of the parameter; 0: a product of activations
    double inputs = 0;  ///< B d_{i-1}: elements of the other operand
    double outputs = 0; ///< B d_i
    int element_bytes = 4;
    bool input_gradient = false;    ///< layers below need the gradient of its inputs
    std::vector<ProductLoop> loops; ///< per loop of the nest
    std::vector<ProductWindow> windows;
};

/// The forward contractions of the graph, in its order.
[[nodiscard]] std::vector<Product> products(const sharding::Graph &graph);

struct ProductSize {
    double count = 1; ///< of products, one for each group
    double m = 1;
    double n = 1;
    double k = 1;
};
/// The size of the forward product with these extents of the nest's loops.
[[nodiscard]] ProductSize size(const Product &product, const std::vector<std::int64_t> &extents);

/// The number of elements of each layer's parameters, including biases and scales of norms.
[[nodiscard]] sharding::PerLayer<double> parameter_elements(const sharding::Graph &graph);

} // namespace planc::cost
