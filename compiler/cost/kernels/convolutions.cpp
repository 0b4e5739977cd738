#include "cost/kernels/convolutions.h"

#include <planrt/winograd.h>

#include <algorithm>
#include <cmath>

namespace planc::cost {

using planrt::Convolution;
using planrt::ConvolutionKind;
using planrt::ConvolutionMethod;

namespace {

/// The loops of the three tensors of a convolution y = x * w.
struct Tensors {
    const std::vector<int> &x;
    const std::vector<int> &w;
    const std::vector<int> &y;
};

ConvolutionKind kind_of(const sharding::Nest &nest) {
    if (has(nest.results[0], nest.windows[0].kernel_loop))
        return ConvolutionKind::weight_gradient;
    return nest.windows[0].transposed ? ConvolutionKind::input_gradient : ConvolutionKind::forward;
}

Tensors tensors_of(const sharding::Nest &nest, ConvolutionKind kind) {
    const auto windowed = static_cast<std::size_t>(nest.windows[0].operand);
    const std::vector<int> &moved_over = nest.operands[windowed];
    const std::vector<int> &other = nest.operands[1 - windowed];
    const std::vector<int> &result = nest.results[0];
    switch (kind) {
    case ConvolutionKind::forward:
        return {moved_over, other, result};
    case ConvolutionKind::input_gradient:
        return {result, other, moved_over};
    case ConvolutionKind::weight_gradient:
        break;
    }
    return {moved_over, result, other};
}

planrt::WindowBlock block_of(const sharding::NestWindow &found, const sharding::Nest &nest,
                             const std::vector<std::int64_t> &extents) {
    const std::int64_t positions =
        extents[nest.operands[static_cast<std::size_t>(found.operand)][static_cast<std::size_t>(found.dimension)]];
    const std::int64_t touched = planrt::touched(sharding::window_of(found, nest), {0, positions}, found.extent).size();
    planrt::WindowBlock block;
    block.input = found.transposed ? positions : touched;
    block.output = found.transposed ? touched : positions;
    block.kernel = extents[static_cast<std::size_t>(found.kernel_loop)];
    block.stride = found.stride;
    block.dilation = found.dilation;
    block.padding = found.padding;
    return block;
}

double taps_of(const Convolution &conv) {
    double product = 1;
    for (const planrt::WindowBlock &window : conv.windows)
        product *= static_cast<double>(window.kernel);
    return product;
}

double positions_of(const Convolution &conv) {
    auto product = static_cast<double>(conv.batch);
    for (const planrt::WindowBlock &window : conv.windows)
        product *= static_cast<double>(window.output);
    return product;
}

double weights_of(const Convolution &conv) {
    return taps_of(conv) * static_cast<double>(conv.groups * conv.in * conv.out);
}

/// Positions that touch the input under one tap, on average, and how many of them form the rows of one product: those
/// of the last dimension, or of all samples (runtime/src/kernels/convolutions/convolution.cpp).
struct TapRows {
    double touching = 1;
    double run = 1;
};

TapRows tap_rows(const Convolution &conv) {
    constexpr std::int64_t long_enough = 16;
    const auto batch = static_cast<double>(conv.batch);
    TapRows rows{batch, batch};
    bool plain = true;
    for (const planrt::WindowBlock &window : conv.windows) {
        const double touching = static_cast<double>(planrt::touching_taps(window)) / static_cast<double>(window.kernel);
        rows.touching *= touching;
        if (window == planrt::WindowBlock{})
            continue;
        plain = plain && window.kernel == 1 && window.stride == 1 && window.padding == 0;
        rows.run = window.output >= long_enough || window.output >= conv.batch ? touching : batch;
    }
    if (plain)
        rows.run = rows.touching;
    return rows;
}

Seconds copy_seconds(double bytes, const Machine &machine) {
    return transfer_seconds(Bytes(bytes), Bytes(bytes), machine);
}

} // namespace

std::optional<ConvolutionShape> convolution_shape(const sharding::Nest &nest,
                                                  const std::vector<std::int64_t> &extents) {
    if (nest.windows.empty() || nest.windows.size() > planrt::most_windows || nest.operands.size() != 2)
        return {};
    ConvolutionShape shape{kind_of(nest), {}};
    const Tensors tensors = tensors_of(nest, shape.kind);
    std::vector<int> of_windows;
    for (std::size_t i = 0; i < nest.windows.size(); ++i) {
        const sharding::NestWindow &window = nest.windows[i];
        shape.conv.windows[i] = block_of(window, nest, extents);
        of_windows.push_back(window.kernel_loop);
        of_windows.push_back(
            nest.operands[static_cast<std::size_t>(window.operand)][static_cast<std::size_t>(window.dimension)]);
    }
    for (int loop = 0; loop < static_cast<int>(extents.size()); ++loop) {
        if (has(of_windows, loop))
            continue;
        const bool x = has(tensors.x, loop);
        const bool w = has(tensors.w, loop);
        const bool y = has(tensors.y, loop);
        std::int64_t &size = x && w && y ? shape.conv.groups
                             : x && w    ? shape.conv.in
                             : w && y    ? shape.conv.out
                                         : shape.conv.batch;
        size *= extents[static_cast<std::size_t>(loop)];
    }
    return shape;
}

ProductShape direct_products(const ConvolutionShape &shape) {
    const Convolution &conv = shape.conv;
    const auto in = static_cast<double>(conv.in);
    const auto out = static_cast<double>(conv.out);
    const auto groups = static_cast<double>(conv.groups);
    switch (shape.kind) {
    case ConvolutionKind::forward:
        return {groups, positions_of(conv), out, in * taps_of(conv)};
    case ConvolutionKind::input_gradient:
        return {groups, positions_of(conv), in, out * taps_of(conv)};
    case ConvolutionKind::weight_gradient:
        break;
    }
    return {groups, in * taps_of(conv), out, positions_of(conv)};
}

ProductShape tap_products(const ConvolutionShape &shape) {
    const Convolution &conv = shape.conv;
    const TapRows rows = tap_rows(conv);
    const auto in = static_cast<double>(conv.in);
    const auto out = static_cast<double>(conv.out);
    const double run = std::max(rows.run, 1.0);
    const double count = taps_of(conv) * static_cast<double>(conv.groups) * rows.touching / run;
    switch (shape.kind) {
    case ConvolutionKind::forward:
        return {count, run, out, in};
    case ConvolutionKind::input_gradient:
        return {count, run, in, out};
    case ConvolutionKind::weight_gradient:
        break;
    }
    return {count, in, out, run};
}

template <int window> static ProductShape winograd_products_of(const ConvolutionShape &shape) {
    const Convolution &conv = shape.conv;
    const planrt::winograd::Tiles<window> tiles(conv);
    const auto portion = static_cast<double>(std::max<std::int64_t>(tiles.portion, 1));
    const auto in = static_cast<double>(conv.in);
    const auto out = static_cast<double>(conv.out);
    const double count = planrt::winograd::elements<window> * static_cast<double>(conv.groups * tiles.count) / portion;
    switch (shape.kind) {
    case ConvolutionKind::forward:
        return {count, portion, out, in};
    case ConvolutionKind::input_gradient:
        return {count, portion, in, out};
    case ConvolutionKind::weight_gradient:
        break;
    }
    return {count, in, out, portion};
}

ProductShape winograd_products(const ConvolutionShape &shape) {
    return shape.conv.windows[0].kernel == 5 ? winograd_products_of<5>(shape) : winograd_products_of<3>(shape);
}

TransformBytes transform_bytes(const Convolution &conv) {
    const auto channels = static_cast<double>(conv.groups * (conv.in + conv.out));
    const auto elements = static_cast<double>(planrt::winograd_weights(conv.windows[0].kernel, 1, 1, 1));
    return {sizeof(float) * positions_of(conv) * channels * (1 + elements / 4), // into tiles of 2 x 2 positions
            sizeof(float) * (weights_of(conv) + static_cast<double>(planrt::winograd_weights(
                                                    conv.windows[0].kernel, conv.groups, conv.in, conv.out)))};
}

std::optional<Seconds> convolution_seconds(const ConvolutionShape &shape, int element_bytes, const Machine &machine) {
    const support::KernelRates &rates = machine.kernels;
    const double weights = weights_of(shape.conv) * element_bytes;
    const double width = element_bytes / static_cast<double>(sizeof(float)); // products of f64 take twice as long
    ConvolutionMethod method = planrt::method_of(shape.kind, shape.conv, rates.wide_vectors);
    if (element_bytes != sizeof(float))
        method = ConvolutionMethod::taps;
    if (method == ConvolutionMethod::direct) {
        const auto &rate = shape.kind == ConvolutionKind::weight_gradient ? rates.weight_gradient : rates.convolution;
        if (!rate)
            return {};
        return direct_seconds(*rate, direct_products(shape), machine) + copy_seconds(2 * weights, machine);
    }
    if (!rates.product || (method == ConvolutionMethod::winograd && !rates.winograd))
        return {};
    if (method == ConvolutionMethod::taps)
        return width * product_seconds(*rates.product, tap_products(shape), machine) +
               copy_seconds(2 * weights, machine);
    const TransformBytes bytes = transform_bytes(shape.conv);
    return product_seconds(*rates.product, winograd_products(shape), machine) + rates.winograd->call +
           Seconds(bytes.activations / rates.winograd->bytes_per_second +
                   bytes.weights / rates.winograd->weight_bytes_per_second);
}

bool price_weight_formats(const support::KernelRates &rates) {
    return rates.product && rates.convolution && rates.weight_gradient && rates.winograd;
}

} // namespace planc::cost
